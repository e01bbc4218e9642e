/** The older edition of the address beside the model: what differs, and the scene drawn by it. */
import type { TilesSpec } from 'citymodel-server/shared';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { boundsOf } from '../changes/change-list.tsx';
import { type Became, type Compared, toggled } from '../changes/comparison.ts';
import { useChanges } from '../changes/use-changes.ts';
import { current, leaveOut, usePart } from '../core/store.ts';
import { useTheme } from '../core/theme.ts';
import { PALETTES } from '../map/palette.ts';
import type { ModelKind } from './choice.ts';
import { type Editions, editionsOf, lookOf, olderYears } from './editions.ts';
import type { TileScene } from './tile-scene.ts';

export interface ShownEditions {
  /** Years that the model can be compared with, the newest first. */
  years: number[];
  /** What is compared; null for nothing. */
  editions: Editions | null;
  /** What differs; null before it is known, and where the service cannot tell. */
  compared: Compared | null;
  error: unknown;
  retry(): void;
  /** What the legend leaves out. */
  hidden: ReadonlySet<Became>;
  toggle(became: Became): void;
}

/**
 * Looks at the feature of a link that says no place for the camera, once it is known where it is.
 *
 * @param isOpen whether the model is there
 */
export function useArrival(scene: TileScene | null, isOpen: boolean, { compared }: ShownEditions): void {
  const { camera, feature } = current();
  const wanted = useRef(camera === null ? feature : null);
  useEffect(() => {
    if (scene === null || !isOpen || compared === null || wanted.current === null) return;
    const difference = compared.differences.find(({ id }) => id === wanted.current);
    const bounds = difference === undefined ? null : boundsOf(difference);
    wanted.current = null;
    if (bounds !== null) scene.lookAt(bounds);
  }, [scene, isOpen, compared]);
}

/** @param kind what the model is of; undefined while that is not known */
export function useEditions(
  scene: TileScene | null,
  spec: TilesSpec | null,
  kind: ModelKind | undefined,
): ShownEditions {
  const year = usePart((s) => s.older);
  const border = usePart((s) => s.border);
  const colours = PALETTES[useTheme()].became;
  const years = useMemo(
    () => (spec === null || kind === undefined ? [] : olderYears(spec, kind)),
    [spec, kind],
  );
  const editions = useMemo(
    () => (spec === null || kind === undefined || year === null ? null : editionsOf(spec, kind, year)),
    [spec, kind, year],
  );
  const isUnknown = year !== null && kind !== undefined && editions === null;
  useEffect(() => {
    if (isUnknown) leaveOut(`older=${year}`, { older: null, border: null });
  }, [isUnknown, year]);
  const { value, error, retry } = useChanges(editions?.comparison ?? null);
  const compared = value?.summary == null ? null : value;
  const [hidden, setHidden] = useState<ReadonlySet<Became>>(new Set());
  const hasBorder = border !== null;
  const look = useMemo(
    () => lookOf(compared?.differences ?? null, hidden, colours, hasBorder),
    [compared, hidden, colours, hasBorder],
  );
  useEffect(
    () => scene?.compare(editions === null ? null : { older: editions.older, look, border }),
    [scene, editions, look, border],
  );
  return {
    years,
    editions,
    compared,
    error,
    retry,
    hidden,
    toggle: (one) => setHidden(toggled(hidden, one)),
  };
}
