/** The scene's life in a component: one scene, told of what changes. */

import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiFailure } from '../core/api.ts';
import type { DatasetRow } from '../core/catalogue.ts';
import { MODELS } from '../core/output-kinds.ts';
import { current, update, useWords } from '../core/store.ts';
import { useTheme } from '../core/theme.ts';
import type { Ability } from './scene/effects.ts';
import type { SceneEvents } from './scene/scene-events.ts';
import type { TileState } from './tile-count.ts';
import type { Measure, PickedFeature, TileScene } from './tile-scene.ts';

/** After tiles have come, milliseconds without more before what depends on them is made anew. */
const SETTLE = 250;

export interface SceneState {
  scene: TileScene | null;
  picked: PickedFeature | null;
  setPicked: (feature: PickedFeature | null) => void;
  /** True when a click met nothing. */
  isNothing: boolean;
  /** Properties of loaded features; another set whenever tiles have come and it is quiet again. */
  names: ReadonlySet<string>;
  tiles: TileState;
  measure: Measure | null;
  /** What the machine can draw beside models; unknown until it is measured. */
  ability: Ability;
  /** True until everything in view has come once. */
  isWaiting: boolean;
  setWaiting: (isWaiting: boolean) => void;
  /** True once the scene draws nothing any more, which a new page alone helps. */
  isBroken: boolean;
  failure: unknown;
  setFailure: (failure: unknown) => void;
}

const NO_TILES: TileState = { loaded: 0, failed: 0, trouble: null };

export function useScene(container: RefObject<HTMLDivElement | null>): SceneState {
  const { number } = useWords();
  const theme = useTheme();
  const [scene, setScene] = useState<TileScene | null>(null);
  const [picked, setPicked] = useState<PickedFeature | null>(null);
  const [isNothing, setNothing] = useState(false);
  const [names, setNames] = useState<ReadonlySet<string>>(new Set());
  const [tiles, setTiles] = useState(NO_TILES);
  const [measure, setMeasure] = useState<Measure | null>(null);
  const [isWaiting, setWaiting] = useState(false);
  const [ability, setAbility] = useState<Ability>('unknown');
  const [isBroken, setBroken] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const words = useRef(number);
  words.current = number;

  useEffect(() => {
    let scene: TileScene | null = null;
    let live = true;
    let settling: ReturnType<typeof setTimeout> | undefined;
    let telling: ReturnType<typeof setTimeout> | undefined;
    const noCode = (error: unknown) => setFailure(new ApiFailure('offline', 0, String(error)));
    import('./tile-scene.ts').then(({ TileScene }) => {
      if (!live) return;
      const events: SceneEvents = {
        onPick(feature) {
          setPicked(feature);
          setNothing(feature === null);
          update({ feature: feature === null ? null : gmlId(feature) });
        },
        onMeasure: setMeasure,
        onCamera: (camera) => {
          if (current().view === '3d' || current().embed) update({ camera });
        },
        onFeatures() {
          clearTimeout(settling);
          settling = setTimeout(() => {
            scene!.settle();
            setNames(scene!.propertyNames());
          }, SETTLE);
        },
        onTiles(state) {
          // Hundreds of tiles come in a second.
          clearTimeout(telling);
          telling = setTimeout(() => setTiles(state), 100);
        },
        onLoaded(state) {
          setTiles(state);
          setWaiting(false);
        },
        onBroken(error) {
          if (!live) return;
          setBroken(true);
          setFailure(error);
        },
        onAbility: setAbility,
      };
      try {
        const metres = (value: number) => `${words.current(Math.round(value * 10) / 10)} m`;
        scene = new TileScene(container.current!, theme, events, metres);
        setScene(scene);
      } catch (error) {
        // A browser that cannot draw
        setFailure(error);
      }
    }, noCode);
    return () => {
      live = false;
      clearTimeout(settling);
      clearTimeout(telling);
      scene?.destroy();
    };
    // One scene, whose theme is set below
  }, []);
  useEffect(() => scene?.setTheme(theme), [scene, theme]);
  return {
    scene,
    picked,
    setPicked,
    isNothing,
    names,
    tiles,
    measure,
    ability,
    isWaiting,
    setWaiting,
    isBroken,
    failure,
    setFailure,
  };
}

export function gmlId({ properties }: PickedFeature): string | null {
  for (const name of ['gml_id', 'gml:id', '_gml_id', 'gmlID', 'id']) {
    const value = properties[name];
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

/** The path of a URL up to its last slash. */
function directoryOf({ pathname }: URL): string {
  return pathname.slice(0, pathname.lastIndexOf('/') + 1);
}

/** Finds the dataset that a tile is of: the one below whose directory its URL lies. */
export function tileOwners(datasets: readonly DatasetRow[]): (url: string) => DatasetRow | undefined {
  const owners = new Map(
    datasets
      .filter((row) => row.format === MODELS)
      .map((row) => [directoryOf(new URL(row.url)), row] as const),
  );
  return (url) => {
    let directory = directoryOf(new URL(url, location.href));
    while (directory !== '/') {
      const row = owners.get(directory);
      if (row !== undefined) return row;
      directory = directory.slice(0, directory.lastIndexOf('/', directory.length - 2) + 1);
    }
    return undefined;
  };
}
