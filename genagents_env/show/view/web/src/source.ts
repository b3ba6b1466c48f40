// Where resources come from: the server that made the page, or the file that it is.

import type { Tick, Why, Whys } from "./protocol";

const NOT_HELD = "What was perceived is not held in this file; `genagents view` rebuilds it from the run.";
const AGAIN = 500; // milliseconds between two questions after a run that has not begun

/** Returns the bytes of a resource, once the run has begun; throws where there is none. */
async function read(name: string): Promise<ArrayBuffer> {
  const held = document.getElementById(`data-${name}`);
  if (held !== null) return inflate(held.textContent ?? "");
  if (document.getElementById("data-head") !== null) throw new Error(`${name}: it is not in this file`);
  let answer = await fetch(`data/${name}`, { cache: "no-store" });
  while (answer.status === 503) {
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
    answer = await fetch(`data/${name}`, { cache: "no-store" });
  }
  if (!answer.ok) throw new Error(`${name}: ${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}

async function inflate(base64: string): Promise<ArrayBuffer> {
  const packed = Uint8Array.from(atob(base64.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

export async function readJson<T>(name: string): Promise<T> {
  const why = /^why\/(\d+)\/(\d+)$/.exec(name);
  const exported = document.getElementById("data-head") !== null;
  if (exported && name.startsWith("percept/")) return { text: "", note: NOT_HELD, pending: false } as T;
  if (exported && why !== null) return (await readHeldWhy(why[1] ?? "", Number(why[2]))) as T;
  return JSON.parse(new TextDecoder().decode(await read(name))) as T;
}

/** Of an exported page: why an agent did what it did last, which goes on until its next act. */
async function readHeldWhy(agent: string, tick: Tick): Promise<Why> {
  const { whys } = await readJson<Whys>(`whys/${agent}`);
  const last = Math.max(...Object.keys(whys).map(Number).filter((act) => act <= tick));
  const why = whys[last] ?? { tick: Math.max(0, tick - 1), note: "", asked: "Nobody was asked about it.", calls: [], recalled: [], events: [] };
  const note = last < tick ? "Nothing new was begun at this moment: what was begun before goes on." : why.note;
  return { ...why, tick: Math.max(0, tick - 1), note };
}

export async function readInt16(name: string): Promise<Int16Array> {
  return new Int16Array(await read(name)); // both sides are little-endian
}
