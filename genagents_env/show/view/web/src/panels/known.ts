// What somebody knows, since when and from whom; and whom.

import { make } from "../dom";
import type { AgentIndex, Mind, Tick } from "../protocol";
import type { Context } from "./context";
import type { Hearing } from "./hearings";
import { askWhy, fold, linkFact, linkPerson, linkTime, note } from "./parts";
import type { Part } from "./person";
import { describeEvent } from "./sentences";

export function mountKnown(context: Context, agent: AgentIndex): Part {
  const facts = make("div");
  const people = make("div");
  const factCount = make("span", { class: "count" });
  const peopleCount = make("span", { class: "count" });
  const element = make(
    "div",
    {},
    fold([make("span", { class: "fold-title" }, "What they know"), factCount], (into) => into.append(facts), { open: true }),
    fold([make("span", { class: "fold-title" }, "Whom they know"), peopleCount], (into) => into.append(people)),
  );
  let [factsBefore, peopleBefore] = ["", ""];

  function showFacts(tick: Tick): void {
    const known = context.hearings.by(agent).filter((hearing) => hearing.tick <= tick);
    const now = known.map((hearing) => hearing.fact).join();
    if (now === factsBefore && facts.childNodes.length > 0) return;
    factsBefore = now;
    factCount.textContent = `${known.length} of ${context.head.facts.length}`;
    const rows = known.map((hearing) => make("li", {}, makeHearing(context, hearing)));
    facts.replaceChildren(rows.length > 0 ? make("ul", { class: "rows", role: "list" }, ...rows) : note("None of the facts that are followed in this town."));
  }

  function showPeople(tick: Tick, mind: Mind): void {
    const latest = new Map<AgentIndex, Mind["acquaintances"][number]>();
    for (const one of mind.acquaintances) if (one.since <= tick) latest.set(one.agent, one);
    const known = [...latest.values()];
    const now = `${known.map((one) => `${one.agent} ${one.text}`).join()} ${mind.until}`;
    if (now === peopleBefore) return;
    peopleBefore = now;
    peopleCount.textContent = String(known.length);
    const rows = known.map((one) =>
      make("li", { class: "acquaintance" }, linkPerson(context, one.agent, { avatar: true, full: true }), ...(one.since > 0 ? [make("span", { class: "how" }, "since ", linkTime(context, one.since, "when"))] : []), make("p", {}, one.text)),
    );
    people.replaceChildren(rows.length > 0 ? make("ul", { class: "rows", role: "list" }, ...rows) : note("Nobody yet, as far as this mind keeps it."));
  }

  return {
    element,
    show(tick, mind) {
      showFacts(tick);
      if (mind.until >= 0 || mind.acquaintances.length > 0) showPeople(tick, mind);
      else if (people.childNodes.length === 0) people.replaceChildren(note("Nobody yet, as far as this mind keeps it."));
    },
  };
}

function makeHearing(context: Context, hearing: Hearing): HTMLElement {
  const how = make("span", { class: "how" });
  if (hearing.tick < 0) how.append("from the start");
  else {
    how.append(linkTime(context, hearing.tick, "when it was heard"));
    if (hearing.source >= 0) how.append(hearing.overheard ? " overheard from " : " from ", linkPerson(context, hearing.source));
    if (hearing.cause >= 0) how.append(" ", askWhy(context, hearing.cause, "these words"));
  }
  const row = make("div", { class: "known" }, linkFact(context, hearing.fact), how, make("p", { class: "fact-text" }, context.fact(hearing.fact).text));
  const cause = context.event(hearing.cause);
  if (cause !== undefined) row.append(make("p", { class: "quote" }, describeEvent(context, cause)));
  return row;
}
