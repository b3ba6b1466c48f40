// The panels beside the map: each is mounted once into its element, and follows the store.

import type { Layout } from "../layout";
import type { Replay } from "../replay";
import type { Store } from "../store";

export function mountPanels(layout: Layout, replay: Replay, store: Store): void {
  void layout;
  void replay;
  void store;
}
