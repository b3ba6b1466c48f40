// What somebody is doing as the clock stands, and who decides it.

import { make } from "../dom";
import type { AgentIndex, EventId } from "../protocol";
import type { State } from "../state";
import type { Context } from "./context";
import { askWhy, linkPeople } from "./parts";
import type { Part } from "./person";
import { placeName } from "./sentences";

export function mountNow(context: Context, agent: AgentIndex): Part {
  const rows = {
    where: make("dd"),
    doing: make("dd"),
    talk: make("dd"),
    decides: make("dd", {}, describePolicy(context, agent)),
  };
  const element = make(
    "dl",
    { class: "person-now", "aria-label": "Now" },
    make("dt", {}, "Where"),
    rows.where,
    make("dt", {}, "Doing"),
    rows.doing,
    make("dt", {}, "Talk"),
    rows.talk,
    make("dt", {}, "Decides"),
    rows.decides,
  );
  let before = "";
  return {
    element,
    show(tick) {
      const state = context.replay.states.at(tick);
      const others = listCompany(state, agent);
      const act = findLast(context, agent, tick);
      const now = [state.place[agent], state.doing[agent], state.asleep[agent], state.present[agent], others.join(), act].join("|");
      if (now === before) return;
      before = now;
      const arena = context.replay.recording.town.arenas[state.place[agent] ?? -1];
      const there = state.present[agent] === 1;
      rows.where.textContent = !there ? "not in town" : arena === undefined || arena.id === "" ? "outside" : placeName(arena.id);
      rows.doing.replaceChildren(state.asleep[agent] === 1 ? "asleep 💤" : `${state.emoji[agent] ?? ""} ${state.doing[agent] || "nothing yet"}`.trim());
      if (act >= 0) rows.doing.append(" ", askWhy(context, act, `${context.firstName(agent)}: ${state.doing[agent] ?? ""}`));
      rows.talk.replaceChildren(...(others.length > 0 ? ["with ", ...linkPeople(context, others)] : ["with nobody"]));
    },
  };
}

function listCompany(state: State, agent: AgentIndex): AgentIndex[] {
  const conversation = state.conversation[agent] ?? -1;
  if (conversation < 0) return [];
  return [...state.conversation.keys()].filter((other) => other !== agent && state.conversation[other] === conversation);
}

/** The last thing said or begun by then. */
function findLast(context: Context, agent: AgentIndex, tick: number): EventId | -1 {
  const { recording } = context.replay;
  const from = recording.firstEvent(tick + 1) - 1;
  for (let at = from; at >= 0 && at > from - 4000; at--) {
    const event = recording.events[at];
    if (event !== undefined && event[3] === agent && event[2] === "doing") return event[0];
  }
  return -1;
}

function describePolicy(context: Context, agent: AgentIndex): string {
  const policy = context.person(agent)?.policy ?? "";
  const asks = context.replay.recording.calls.some((call) => call.agent === agent);
  const model = context.head.model;
  if (model === null) return `policy ${policy}, which asks no model`;
  return asks || context.replay.recording.calls.length === 0 ? `policy ${policy}, asking the model ${model}` : `policy ${policy}, which asked no model`;
}
