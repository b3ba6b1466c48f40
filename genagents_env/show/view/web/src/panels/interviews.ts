// What somebody answered when asked, with the events the answer rests on.

import { make } from "../dom";
import type { AgentIndex, Mind } from "../protocol";
import type { Context } from "./context";
import { fold, linkTime, note } from "./parts";
import type { Part } from "./person";
import { describeEvent } from "./sentences";

export function mountInterviews(context: Context, _agent: AgentIndex): Part {
  const body = make("div");
  const counted = make("span", { class: "count" });
  const element = fold([make("span", { class: "fold-title" }, "Interviews"), counted], (into) => into.append(body));
  let before = "";
  return {
    element,
    ofMind: true,
    show(tick, mind) {
      const answers = mind.interviews.filter((one) => one.tick <= tick);
      const now = `${answers.length} ${mind.interviews.length} ${mind.until}`;
      if (now === before) return;
      before = now;
      counted.textContent = mind.interviews.length === 0 ? "none" : `${answers.length} of ${mind.interviews.length}`;
      const later = mind.interviews.filter((one) => one.tick > tick);
      const rows: HTMLElement[] = answers.map((one) => makeAnswer(context, one));
      const next = later[0];
      if (next !== undefined) rows.push(make("p", { class: "note" }, `${later.length} more at `, linkTime(context, next.tick, "the interviews"), "."));
      if (mind.interviews.length === 0) rows.push(note("Nobody was interviewed."));
      body.replaceChildren(...rows);
    },
  };
}

function makeAnswer(context: Context, one: Mind["interviews"][number]): HTMLElement {
  const evidence = context.events(one.evidence).map((event) => make("li", {}, linkTime(context, event[1], "this"), " ", describeEvent(context, event)));
  const parts: HTMLElement[] = [
    make("p", { class: "question" }, linkTime(context, one.tick, "the interview"), " ", one.question),
    make("blockquote", { class: "answer" }, one.answer),
    ...(one.note === "" ? [] : [note(capital(`${one.note}.`))]),
  ];
  if (evidence.length > 0) parts.push(fold([`Rests on ${evidence.length} ${evidence.length === 1 ? "event" : "events"}`], (body) => body.append(make("ul", { class: "evidence" }, ...evidence))));
  return make("article", { class: "interview" }, ...parts);
}

const capital = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1);
