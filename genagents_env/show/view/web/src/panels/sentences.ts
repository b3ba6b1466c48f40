// Events in words.

import type { EventData, EventRow } from "../protocol";
import type { Context } from "./context";

const word = (data: EventData, key: string): string => (typeof data[key] === "string" ? data[key] : "");

/** One line of what happened, such as `Klaus: "Good morning."`. */
export function describeEvent(context: Context, [, , kind, agent, data]: EventRow): string {
  const who = context.firstName(agent);
  switch (kind) {
    case "say":
      return `${who}: “${word(data, "text")}”`;
    case "learn": {
      const fact = context.replay.recording.findFact(word(data, "fact"));
      const name = fact < 0 ? word(data, "fact") : context.factName(fact);
      return word(data, "source") === "" ? `${who} learns of ${name}` : `${who} hears of ${name} from ${word(data, "source")}`;
    }
    case "doing":
      return `${who}: ${word(data, "doing")} ${word(data, "emoji")}`.trim();
    case "arrive":
      return `${who} comes to ${placeName(word(data, "place"))}`;
    case "object":
      return `${agent < 0 ? "" : `${who}: `}${placeName(word(data, "object"))} is now ${word(data, "state")}`;
    case "start":
    case "join":
      return `${who} is at ${placeName(word(data, "place"))}, ${word(data, "doing")}`;
    case "converse":
      return `${who} joins the conversation`;
    case "leave":
      return `${who} leaves the conversation`;
    case "sleep":
      return `${who} falls asleep`;
    case "wake":
      return `${who} wakes up`;
    case "fail":
      return `${who} cannot: ${word(data, "reason")}`;
    case "whisper":
      return `An inner voice to ${who}: “${word(data, "text")}”`;
    case "news":
      return `News: “${word(data, "text")}”`;
    case "part":
      return `${who} leaves town`;
    default:
      return agent < 0 ? kind : `${who}: ${kind}`;
  }
}

/** The last parts of a full id, the nearest first: "cafe, Hobbs Cafe". */
export function placeName(id: string): string {
  if (id === "") return "outside";
  const parts = id.split("/");
  return parts.length === 1 ? id : `${parts.slice(1).join(", ")} (${parts[0]})`;
}
