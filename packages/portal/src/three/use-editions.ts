/** The older edition of the address beside the model: what differs, and the scene drawn by it. */
import type { TilesSpec } from 'citymodel-server/shared';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { type Became, type Compared, toggled } from '../changes/comparison.ts';
import { useChanges } from '../changes/use-changes.ts';
import { leaveOut, usePart } from '../core/store.ts';
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
