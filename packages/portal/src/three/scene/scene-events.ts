/** What a scene tells the page. */
import type { TileState } from '../tile-count.ts';
import type { Ability } from './effects.ts';
import type { PickedFeature } from './picked-feature.ts';
import type { Measure } from './ruler.ts';

export interface SceneEvents {
  /** A click or key asked for what is at a place; null when nothing is. */
  onPick(feature: PickedFeature | null): void;
  /** The ruler has two points, or one alone. */
  onMeasure(measure: Measure | null): void;
  /** The camera has come to rest: longitude, latitude, height, heading, pitch. */
  onCamera(camera: number[]): void;
  /** Tiles came, with features that were not known before. */
  onFeatures(): void;
  /** Tiles came or failed. */
  onTiles(state: TileState): void;
  /** Everything that is in view is there. */
  onLoaded(state: TileState): void;
  /** Nothing is drawn any more: a frame failed, or the graphics card has gone. */
  onBroken(error: unknown): void;
  /** It is known what the machine can. */
  onAbility(ability: Ability): void;
}
