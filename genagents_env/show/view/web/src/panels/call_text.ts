// A model call in words: what was asked, message by message, and what came back; words in it can be found.

import { make } from "../dom";
import { PART } from "../protocol";
import type { Prompts } from "../protocol";
import type { CallName, Context } from "./context";
import { fold, linkPerson, linkTime, note } from "./parts";

const ROLES: Record<string, string> = { system: "Instructions (system)", user: "Question (user)", assistant: "Its own words before (assistant)", reply: "Reply" };

type Texts = Prompts["prompts"][number];

/** A call that opens to its prompt and reply, which are read when it is opened. */
export function makeCallText(context: Context, call: CallName, options: { open?: boolean; step?: string } = {}): HTMLDetailsElement {
  const row = context.replay.recording.calls.find((one) => one.agent === call.agent && one.tick === call.tick && one.purpose === call.purpose && one.number === call.number);
  const title = make("span", { class: "call-title" }, options.step === undefined ? "" : make("span", { class: "step" }, options.step), make("strong", {}, call.purpose));
  const about = [context.when(call.tick)];
  if (row !== undefined) about.push(row.model, `${row.promptTokens.toLocaleString("en")} → ${row.completionTokens.toLocaleString("en")} tokens`);
  const outcome = row?.outcome === "fallback" ? [make("span", { class: "warn" }, "fallback: a rule stood in")] : [];
  return fold([title, make("span", { class: "call-about" }, about.join(" · ")), ...outcome], (body) => void fill(context, call, body), { ...options, class: "fold call" });
}

async function fill(context: Context, call: CallName, body: HTMLElement): Promise<void> {
  body.append(note("Reading …"));
  try {
    const part = Math.floor(Math.max(0, call.tick) / PART);
    const { prompts } = await context.replay.recording.resource<Prompts>(`prompts/${call.agent}/${part}`);
    const found = prompts.find((one) => one.tick === call.tick && one.purpose === call.purpose && one.number === call.number);
    if (found === undefined) throw new Error("the record holds no such call");
    body.replaceChildren(makeTop(context, call), ...makeTexts(found));
  } catch (error) {
    body.replaceChildren(makeTop(context, call), note(`The prompt is not to be had: ${error instanceof Error ? error.message : String(error)}`));
  }
  body.dispatchEvent(new CustomEvent("texts", { bubbles: true }));
}

function makeTop(context: Context, call: CallName): HTMLElement {
  return make("p", { class: "call-top" }, linkPerson(context, call.agent, { avatar: true }), " asked at ", linkTime(context, call.tick, "the call"));
}

function makeTexts(texts: Texts): HTMLElement[] {
  const messages = texts.messages.map((message) => makeText(message.role, message.content, message.role === "system"));
  const reply = makeText("reply", texts.reply, false);
  return [...messages, reply, ...(texts.fault === null ? [] : [make("p", { class: "note warn" }, `What was wrong: ${texts.fault}`)])];
}

function makeText(role: string, content: string, folded: boolean): HTMLElement {
  const size = `${content.length.toLocaleString("en")} letters`;
  const details = make("details", { class: `text text-${role === "reply" ? "reply" : "asked"}` }, make("summary", {}, make("strong", {}, ROLES[role] ?? role), make("span", { class: "call-about" }, size)));
  details.append(content === "" ? note("empty") : make("pre", { class: "searchable", tabindex: 0 }, readable(role, content)));
  details.open = !folded;
  return details;
}

/** A reply in JSON with its lines and gaps; anything else as it is. */
function readable(role: string, content: string): string {
  if (role !== "reply" || !/^\s*[[{]/.test(content)) return content;
  try {
    return JSON.stringify(JSON.parse(content), null, 2);
  } catch {
    return content; // it is no JSON: shown as the model wrote it
  }
}
