// What somebody means to do: the plans in force as the clock stands, with the item under way marked.

import { make } from "../dom";
import type { AgentIndex, Plan, Tick } from "../protocol";
import type { Context } from "./context";
import { fold, note } from "./parts";
import type { Part } from "./person";

const SHOWN = 6; // items of a long plan; the others are folded

export function mountPlans(context: Context, agent: AgentIndex): Part {
  const body = make("div", { class: "plans" });
  const element = fold([make("span", { class: "fold-title" }, "Plan of the day")], (into) => into.append(body), { open: true });
  let before = "";
  const opened = new Map<string, boolean>(); // by title, as the reader left them
  return {
    element,
    ofMind: true,
    show(tick, mind) {
      const plans = findCurrent(context, mind.plans, tick).map((plan) => ({ plan, at: findItem(context, plan, tick) }));
      const now = plans.map(({ plan, at }) => `${plan.made} ${plan.title} ${at}`).join("|") + mind.until;
      if (now === before) return;
      before = now;
      const finest = (plans.filter(({ at }) => at >= 0).at(-1) ?? plans.at(-1))?.plan.title;
      const makeOne = ({ plan, at }: (typeof plans)[number]): HTMLElement => {
        const made = makePlan(context, plan, at, opened.get(plan.title) ?? plan.title === finest);
        made.querySelector("summary")?.addEventListener("click", () => opened.set(plan.title, !made.open));
        return made;
      };
      if (plans.length > 0) body.replaceChildren(...plans.map(makeOne));
      else body.replaceChildren(note(mind.plans.length > 0 ? "No plan yet." : `No plan: the policy ${context.person(agent)?.policy ?? ""} keeps none.`));
    },
  };
}

/** The latest of each title by then, as they were made; those of another day than the newest are over. */
function findCurrent(context: Context, plans: readonly Plan[], tick: Tick): Plan[] {
  const latest = new Map<string, Plan>();
  for (const plan of plans) if (plan.made <= tick && plan.items.length > 0) latest.set(plan.title, plan);
  const found = [...latest.values()].sort((a, b) => a.made - b.made);
  const newest = Math.max(...found.map((plan) => plan.made));
  const { calendar } = context.replay;
  return found.filter((plan) => plan.made === newest || (plan.made >= 0 && calendar.day(plan.made) === calendar.day(newest)));
}

/** A plan that opens to its items; its heading has the one under way. */
function makePlan(context: Context, plan: Plan, current: number, open: boolean): HTMLDetailsElement {
  const items = plan.items.map((item, i) => {
    const row = make("li", i === current ? { class: "current", "aria-current": "time" } : {});
    if (item.start !== "") row.append(make("span", { class: "plan-time" }, item.end === "" ? item.start : `${item.start}–${item.end}`));
    row.append(make("span", {}, item.text));
    return row;
  });
  const made = make("span", { class: "made" }, plan.made > 0 ? ` made at ${context.when(plan.made)}` : plan.made < 0 ? " brought along" : "");
  const now = make("span", { class: "plan-now" }, plan.items[current]?.text ?? "");
  const details = make("details", { class: "plan" }, make("summary", {}, make("span", { class: "plan-title" }, capital(plan.title)), made, now));
  details.append(make("ol", {}, ...around(items, current)));
  details.open = open;
  return details;
}

/** The item under way and those beside it; the others folded. */
function around(items: HTMLElement[], current: number): HTMLElement[] {
  if (items.length <= SHOWN) return items;
  const first = Math.max(0, Math.min(current - 1, items.length - SHOWN));
  const folded = (some: HTMLElement[], what: string): HTMLElement[] =>
    some.length === 0 ? [] : [make("li", {}, fold([`${some.length} ${what}`], (body) => body.append(make("ol", {}, ...some)), { class: "small-acts" }))];
  return [...folded(items.slice(0, first), "before"), ...items.slice(first, first + SHOWN), ...folded(items.slice(first + SHOWN), "after")];
}

/** The item whose time it is; -1 where it is none's. */
function findItem(context: Context, plan: Plan, tick: Tick): number {
  const { calendar } = context.replay;
  const day = 86400 / context.head.secondsPerTick;
  if (calendar.day(tick) !== calendar.day(plan.made) && tick - plan.made > day / 2) return -1; // yesterday's
  const now = calendar.hour(tick) * 60;
  let found = -1;
  plan.items.forEach((item, i) => {
    const start = minutes(item.start);
    const end = minutes(item.end) ?? minutes(plan.items[i + 1]?.start ?? "") ?? 1440;
    if (start !== null && start <= now && now < (end <= start ? end + 1440 : end)) found = i;
  });
  return found;
}

function minutes(clock: string): number | null {
  const [hour, minute] = clock.split(":").map(Number);
  return hour === undefined || minute === undefined || Number.isNaN(hour + minute) ? null : hour * 60 + minute;
}

const capital = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1);
