// What somebody perceived, in words: rebuilt by the server, which may take it a while.

import { make } from "../dom";
import type { AgentIndex, Percept, Tick } from "../protocol";
import { readJson } from "../source";
import type { Context } from "./context";
import { fold, note } from "./parts";

const AGAIN = 700; // milliseconds until the server is asked again
const BRIEF = 1500; // letters that are shown at once

/** An element that shows the percept as soon as it is there, as long as the element is. */
export function makePercept(context: Context, agent: AgentIndex, tick: Tick): HTMLElement {
  const element = make("div", { class: "percept", "aria-live": "polite" }, note("Reading what was perceived …"));
  void show(context, agent, tick, element);
  return element;
}

async function show(context: Context, agent: AgentIndex, tick: Tick, element: HTMLElement): Promise<void> {
  let percept: Percept;
  do {
    try {
      percept = await readJson<Percept>(`percept/${agent}/${tick}`);
    } catch (error) {
      percept = { text: "", note: `What was perceived is not to be had: ${error instanceof Error ? error.message : String(error)}`, pending: false };
    }
    if (percept.pending) {
      element.replaceChildren(note(percept.note));
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
    }
  } while (percept.pending && element.isConnected);
  if (percept.text === "") element.replaceChildren(note(percept.note));
  else element.replaceChildren(fold([`As ${context.when(tick)} ended, in words`], (body) => body.append(make("pre", { class: "searchable", tabindex: 0 }, percept.text)), { open: percept.text.length < BRIEF }));
  element.dispatchEvent(new CustomEvent("texts", { bubbles: true }));
}
