// Where resources come from: the server that made the page, or the file that it is.

const AGAIN = 500; // milliseconds between two questions after a run that has not begun

/** Returns the bytes of a resource, once the run has begun; throws where there is none. */
async function read(name: string): Promise<ArrayBuffer> {
  const held = document.getElementById(`data-${name}`);
  if (held !== null) return inflate(held.textContent ?? "");
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
  return JSON.parse(new TextDecoder().decode(await read(name))) as T;
}

export async function readInt16(name: string): Promise<Int16Array> {
  return new Int16Array(await read(name)); // both sides are little-endian
}
