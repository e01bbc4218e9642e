/** What went into a conversion and what came out, as a table. */
import { addTo, emptyTally, type Tally } from '@citymodel/tiles';
import type { ConversionAccount } from '../convert/conversion-account.ts';
import { renderTable } from './table.ts';

/** Rows of what was there, and whether everything is accounted for. */
export function accountText(account: ConversionAccount): string {
  const { files, packages, features, surfaces, images, attributes, cells } = account;
  const whole = (count: number) => count.toLocaleString('en');
  const row = (what: string, { in: into, out, rest }: Tally) => [
    ...[what, whole(into), whole(out)],
    Object.entries(rest)
      .map(([code, count]) => `${whole(count)} ${code}`)
      .join(', '),
  ];
  const squareMetres = (area: number) => Math.round(area).toLocaleString('en');
  const rows = [
    row('GML files', files),
    ...features.map((tally) => row(`${nameOf(tally)}, features`, tally)),
    ...surfaces.flatMap((tally) => [
      row(`${nameOf(tally)}, surfaces`, tally),
      [`${nameOf(tally)}, m²`, squareMetres(tally.areaIn), squareMetres(tally.areaOut), ''],
    ]),
    row('images', images),
    ...cells.flatMap((tally) => [
      row(`values of attributes, ${tally.output}`, sumOf(attributes.filter(isOf(tally.output)))),
      row(`cells of rows, ${tally.output}`, tally),
    ]),
    row('packages of tiles', packages),
  ].filter(([, into]) => into !== '0');
  const table = renderTable(
    [
      { title: 'what' },
      { title: 'in', align: 'right' },
      { title: 'out', align: 'right' },
      { title: 'the rest' },
    ],
    rows,
  );
  const verdict = account.complete
    ? '  complete: what went in came out, or an issue names it'
    : '  NOT complete: see UNACCOUNTED';
  return `${table}\n${verdict}`;
}

function isOf(output: string): (tally: { output: string }) => boolean {
  return (tally) => tally.output === output;
}

function sumOf(tallies: readonly Tally[]): Tally {
  const sum = emptyTally();
  for (const { in: into, out, rest } of tallies) {
    sum.in += into;
    sum.out += out;
    for (const [code, count] of Object.entries(rest)) addTo(sum.rest, code, count);
  }
  return sum;
}

function nameOf({ type, lod }: { type: string; lod: number | null }): string {
  return lod === null ? type : `${type} LOD ${lod}`;
}
