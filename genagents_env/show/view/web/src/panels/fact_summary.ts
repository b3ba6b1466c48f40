// How a fact went round by a time, in a sentence or three.

import type { AgentIndex, Tick } from "../protocol";
import type { Context } from "./context";
import type { Hearing } from "./hearings";

const FEW = 3; // people who are named

export function describeSpread(context: Context, fact: number, tick: Tick): string {
  const known = context.hearings.of(fact).filter((hearing) => hearing.tick <= tick);
  const start = known.filter((hearing) => hearing.tick < 0).map((hearing) => hearing.agent);
  const heard = known.filter((hearing) => hearing.tick >= 0);
  const sentences = [start.length === 0 ? "Nobody knew it at the start." : `${nameAll(context, start)} knew it from the start.`];
  const [first, last] = [heard[0], heard.at(-1)];
  if (first === undefined || last === undefined) sentences.push(`By ${context.when(tick)} nobody else has heard it.`);
  else if (first === last) sentences.push(`${capital(describeHearing(context, first))}.`);
  else if (heard.length <= FEW) sentences.push(`${capital(heard.map((one) => describeHearing(context, one)).join(", then "))}.`);
  else {
    sentences.push(`By ${context.when(tick)}, ${heard.length} others have heard it: first ${describeHearing(context, first, "")}; last ${describeHearing(context, last, "")}.`);
    const most = findTeller(heard);
    if (most !== null) sentences.push(`${context.name(most.agent)} told most, ${most.people} people.`);
  }
  return sentences.join(" ");
}

function describeHearing(context: Context, { agent, source, tick, overheard }: Hearing, heard = " heard it"): string {
  const from = source < 0 ? "" : ` from ${context.name(source)}`;
  return `${context.name(agent)}${overheard && heard !== "" ? " overheard it" : heard}${from} at ${context.when(tick)}`;
}

/** Who told several people, and more than anybody else. */
function findTeller(heard: readonly Hearing[]): { agent: AgentIndex; people: number } | null {
  const told = new Map<AgentIndex, number>();
  for (const { source } of heard) if (source >= 0) told.set(source, (told.get(source) ?? 0) + 1);
  const [first, second] = [...told].sort((a, b) => b[1] - a[1]);
  if (first === undefined || first[1] < 2 || first[1] === second?.[1]) return null;
  return { agent: first[0], people: first[1] };
}

function nameAll(context: Context, people: readonly AgentIndex[]): string {
  if (people.length > FEW) return `${people.length} people`;
  return people.map((agent) => context.name(agent)).join(" and ");
}

const capital = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1);
