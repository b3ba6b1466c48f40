// What a memory rests on: other memories, the events it came from, and the call that wrote or rated it.

import { make } from "../dom";
import { PART } from "../protocol";
import type { AgentIndex, Memory, Prompts } from "../protocol";
import type { CallName, Context } from "./context";
import { makeMemory } from "./memories";
import { askWhy, linkTime, makeHeading, note } from "./parts";
import { describeEvent } from "./sentences";

const HEAD = 60; // letters and digits by which the words of a memory are found again in a reply

/** Writes into `body` what the memory rests on. */
export function fillMemory(context: Context, agent: AgentIndex, memory: Memory, byId: ReadonlyMap<number, Memory>, body: HTMLElement): void {
  const evidence = memory.evidence.flatMap((id) => byId.get(id) ?? []);
  if (evidence.length > 0) {
    const rows = evidence.map((one) => make("li", {}, makeMemory(context, agent, one, byId)));
    body.append(makeHeading(3, `Rests on ${evidence.length === 1 ? "a memory" : `${evidence.length} memories`}`), make("ul", { class: "rows nested", role: "list" }, ...rows));
  }
  const events = context.events(memory.events);
  if (events.length > 0) {
    const rows = events.map((event) => {
      const row = make("li", {}, linkTime(context, event[1], "this"), " ", describeEvent(context, event));
      if (event[2] === "say" || event[2] === "doing") row.append(" ", askWhy(context, event[0], describeEvent(context, event)));
      return row;
    });
    body.append(makeHeading(3, "Comes from"), make("ul", { class: "evidence" }, ...rows));
  }
  if (evidence.length === 0 && events.length === 0) body.append(note(memory.tick < 0 ? "It was brought along from before the run." : "It points at no event and no other memory."));
  const calls = make("div", { class: "memory-calls" });
  body.append(calls);
  if (memory.tick >= 0) void addCalls(context, agent, memory, calls);
}

async function addCalls(context: Context, agent: AgentIndex, memory: Memory, into: HTMLElement): Promise<void> {
  const found = await findCall(context, agent, memory);
  if (found === null) return;
  const button = make("button", { type: "button", class: "pill" }, `${found.wrote ? "The call that wrote it" : "The call that read it first"}: ${found.call.purpose}`);
  button.addEventListener("click", () => context.doors.call(found.call));
  into.append(button);
}

/** The last call by then whose reply has these words; else the first after it whose prompt has them. */
async function findCall(context: Context, agent: AgentIndex, memory: Memory): Promise<{ call: CallName; wrote: boolean } | null> {
  if (memory.call !== null) return { call: { ...memory.call, agent }, wrote: true };
  const wanted = squeeze(memory.text).slice(0, HEAD);
  if (wanted === "") return null;
  const part = Math.floor(Math.max(0, memory.tick) / PART);
  const parts = await Promise.all([part - 1, part].filter((k) => k >= 0).map((k) => context.replay.recording.resource<Prompts>(`prompts/${agent}/${k}`).catch(() => ({ prompts: [] }))));
  const prompts = parts.flatMap((one) => one.prompts);
  const wrote = prompts.filter((one) => one.tick <= memory.tick && squeeze(one.reply).includes(wanted)).at(-1);
  if (wrote !== undefined) return { call: { ...wrote, agent }, wrote: true };
  const read = prompts.find((one) => one.tick >= memory.tick - 1 && one.messages.some((message) => squeeze(message.content).includes(wanted)));
  return read === undefined ? null : { call: { ...read, agent }, wrote: false };
}

const squeeze = (text: string): string => text.replace(/\\[nt]/g, "").replace(/[^\p{L}\p{N}]/gu, "").toLocaleLowerCase();
