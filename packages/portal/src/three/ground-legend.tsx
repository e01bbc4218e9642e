/** What the colours of the map on the ground stand for. */
import { usePart, useWords } from '../core/store.ts';
import { useTheme } from '../core/theme.ts';
import { LAND_USES, PAPER } from './scene/ground-style.ts';
import type { ThreeKey } from './strings.ts';
import { useThree } from './words.ts';

/** @param types feature types that the map is drawn from */
export function GroundLegend({ types }: { types: readonly string[] }) {
  const { type } = useWords();
  const three = useThree();
  const theme = useTheme();
  const opacity = usePart((s) => s.opacity.includes('ground:0'));
  if (opacity) return null;
  const { uses, water, road, rail, building } = PAPER[theme];
  const has = (code: string) => types.includes(code);
  const rows: Array<[name: string, colour: string]> = [
    ...(has('luse')
      ? LAND_USES.map((use, i): [string, string] => [three(`land_${use}` as ThreeKey), uses[i]![1]])
      : []),
    ...(has('wtr') && !has('luse') ? [[three('land_water'), water] as [string, string]] : []),
    ...(has('tran') ? [[type('tran'), road] as [string, string]] : []),
    ...(has('rwy') ? [[type('rwy'), rail] as [string, string]] : []),
    ...(has('bldg') ? [[three('land_footprint'), building] as [string, string]] : []),
  ];
  return (
    <ul class="ground-legend">
      {rows.map(([name, colour]) => (
        <li key={name}>
          <span class="swatch" style={{ background: colour }} />
          {name}
        </li>
      ))}
    </ul>
  );
}
