// Everybody, to choose one: a list that can be searched, with what each is doing.

import { make } from "../dom";
import type { AgentIndex, Tick } from "../protocol";
import type { Context } from "./context";
import { count, makeAvatar, note, PagedList } from "./parts";

export function mountPeople(element: HTMLElement, context: Context): void {
  const search = make("input", { type: "search", placeholder: "Search people", "aria-label": "Search people" });
  const found = make("p", { class: "found", "aria-live": "polite" });
  const doing = new Map<AgentIndex, HTMLElement>();
  const list = new PagedList<AgentIndex>(
    (agent) => String(agent),
    (agent) => makeRow(agent),
    60,
    "People",
  );
  const order = context.head.people.map((_, i) => i).sort((a, b) => context.name(a).localeCompare(context.name(b)));

  function makeRow(agent: AgentIndex): HTMLElement {
    const now = make("span", { class: "doing" });
    doing.set(agent, now);
    const button = make("button", { type: "button", class: "person-row" }, makeAvatar(context, agent), make("span", { class: "person-name" }, context.name(agent)), now);
    button.addEventListener("click", () => context.openPerson(agent));
    return button;
  }

  function show(tick: Tick): void {
    if (element.hidden) return;
    const query = search.value.trim().toLocaleLowerCase();
    const people = order.filter((agent) => context.name(agent).toLocaleLowerCase().includes(query));
    list.show(people);
    found.textContent = query === "" ? count(order.length, "person").replace("persons", "people") : `${people.length} of ${order.length}`;
    const state = context.replay.states.at(tick);
    for (const [agent, now] of doing) {
      const text = state.present[agent] === 0 ? "not in town" : `${state.emoji[agent] ?? ""} ${state.doing[agent] ?? ""}`.trim();
      if (now.textContent !== text) now.textContent = text;
    }
  }

  search.addEventListener("input", () => show(context.tick));
  element.append(make("div", { class: "panel-bar", role: "search" }, search, found), list.element);
  if (order.length === 0) element.append(note("Nobody is in this town."));
  context.keep(element.parentElement ?? element, show, ["person"]);
}
