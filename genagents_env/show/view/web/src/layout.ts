// The page's regions: header, map, timeline, a side panel with tabs, and the dialog for "why?".
//
// Each panel is filled by one function of src/panels, given its element, the replay and the store:
// mountStory, mountPerson, mountFacts, mountCosts, and mountWhy for the dialog (panels/index.ts).
// The tab shown is `store.panel`; the dialog is open while `store.event` is not -1. A panel that
// is not shown has the attribute `hidden`. On a narrow screen the panels lie below the map.

import { make, makeButton } from "./dom";
import type { Panel, Store } from "./store";

export const TABS: { panel: Panel; label: string }[] = [
  { panel: "story", label: "Story" },
  { panel: "person", label: "Person" },
  { panel: "facts", label: "Facts" },
  { panel: "costs", label: "Costs" },
];

export interface Layout {
  header: HTMLElement;
  map: HTMLElement; // the canvas, its buttons and cards
  timeline: HTMLElement; // the controls and the strip
  panels: Record<Panel, HTMLElement>;
  why: HTMLElement; // within the dialog
  live: HTMLElement; // read aloud by screen readers, politely
}

export function layOut(app: HTMLElement, store: Store): Layout {
  const header = make("header", { class: "top" });
  const map = make("section", { class: "map", "aria-label": "Map of the town" });
  const timeline = make("section", { class: "timeline", "aria-label": "Timeline and controls" });
  const { side, panels } = makeSide(store);
  const live = make("div", { class: "unseen", "aria-live": "polite" });
  const why = makeDialog(store);
  app.replaceChildren(header, make("main", { class: "page" }, map, timeline, side), live, why.dialog);
  return { header, map, timeline, panels, why: why.body, live };
}

function makeSide(store: Store): { side: HTMLElement; panels: Record<Panel, HTMLElement> } {
  const tabs = make("div", { class: "tabs", role: "tablist", "aria-label": "Beside the map" });
  const side = make("aside", { class: "side" }, tabs);
  const panels = {} as Record<Panel, HTMLElement>;
  const buttons = new Map<Panel, HTMLButtonElement>();
  for (const { panel, label } of TABS) {
    const button = makeButton(label, () => store.set({ panel }), { class: "tab" });
    button.id = `tab-${panel}`;
    button.setAttribute("role", "tab");
    button.setAttribute("aria-controls", `panel-${panel}`);
    buttons.set(panel, button);
    tabs.append(button);
    panels[panel] = make("section", { class: `panel panel-${panel}`, id: `panel-${panel}`, role: "tabpanel", "aria-labelledby": button.id, tabindex: 0 });
    side.append(panels[panel]);
  }
  tabs.addEventListener("keydown", (pressed) => {
    const by = pressed.key === "ArrowRight" ? 1 : pressed.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    pressed.preventDefault();
    pressed.stopPropagation();
    const at = TABS.findIndex(({ panel }) => panel === store.get().panel);
    const next = TABS[(at + by + TABS.length) % TABS.length];
    if (next === undefined) return;
    store.set({ panel: next.panel });
    buttons.get(next.panel)?.focus();
  });
  const show = (): void => {
    for (const { panel } of TABS) {
      const shown = panel === store.get().panel;
      panels[panel].hidden = !shown;
      buttons.get(panel)?.setAttribute("aria-selected", String(shown));
      buttons.get(panel)?.setAttribute("tabindex", shown ? "0" : "-1");
    }
  };
  store.subscribe((_, changed) => {
    if (changed.has("panel")) show();
  });
  show();
  return { side, panels };
}

function makeDialog(store: Store): { dialog: HTMLDialogElement; body: HTMLElement } {
  const body = make("div", { class: "why-body" });
  const close = makeButton("Close", () => dialog.close(), { sign: "×", class: "close" });
  const dialog = make("dialog", { class: "why", "aria-label": "Why?" }, close, body);
  dialog.addEventListener("close", () => store.set({ event: -1 }));
  dialog.addEventListener("click", (click) => {
    if (click.target === dialog) dialog.close(); // beside its content
  });
  store.subscribe((look, changed) => {
    if (!changed.has("event")) return;
    if (look.event >= 0 && !dialog.open) dialog.showModal();
    if (look.event < 0 && dialog.open) dialog.close();
  });
  return { dialog, body };
}
