// The panels beside the map, and the dialog that answers "why?": each is mounted once into its
// element, and follows the store.

import type { Layout } from "../layout";
import type { Replay } from "../replay";
import type { Store } from "../store";
import { Context } from "./context";
import { mountCosts } from "./costs";
import { mountFacts } from "./facts";
import { mountPerson } from "./person";
import { mountSheet } from "./sheet";
import { mountStory } from "./story";
import { mountWhy } from "./why";

export function mountPanels(layout: Layout, replay: Replay, store: Store): void {
  const context = new Context(replay, store);
  mountWhy(layout.why, context);
  mountStory(layout.panels.story, context);
  mountPerson(layout.panels.person, context);
  mountFacts(layout.panels.facts, context);
  mountCosts(layout.panels.costs, context);
  const side = layout.panels.story.parentElement;
  if (side !== null) mountSheet(side);
}
