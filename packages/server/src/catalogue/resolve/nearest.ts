/** What exists near a spec that nothing matches, in words. */
import { factsOfFormat } from '@citymodel/base';
import { area } from '../names/areas.ts';
import type { Dataset } from '../rows/snapshot-dataset.ts';

/** `LOD 1, 2; years 2022, 2023; textured and untextured`, and so on, of the datasets that are near. */
export function variants(datasets: readonly Dataset[]): string {
  const parts = [
    `LOD ${distinct(datasets, (dataset) => String(dataset.summary.lodEx ?? dataset.lod)).join(', ')}`,
    `years ${distinct(datasets, (dataset) => String(dataset.package.year)).join(', ')}`,
  ];
  if (factsOfFormat(datasets[0]!.summary.format).isTextured) {
    parts.push(distinct(datasets, (d) => (d.summary.texture ? 'textured' : 'untextured')).join(' and '));
  }
  if (datasets.some((dataset) => dataset.interior)) {
    parts.push(datasets.every((dataset) => dataset.interior) ? 'interior only' : 'interior too');
  }
  const subs = distinct(datasets, (dataset) => dataset.sub).filter((sub) => sub !== '');
  if (subs.length > 0) {
    const { type } = datasets[0]!.summary;
    const shown = subs.slice(0, 10).map((sub) => `${type}_${sub}`);
    parts.push(`parts ${shown.join(', ')}${subs.length > 10 ? ` and ${subs.length - 10} more` : ''}`);
  }
  return parts.join('; ');
}

/** What a code or `all` means, for people. */
export function areaLabel(code: string): string {
  if (code === 'all') return 'the whole country';
  const found = area(code);
  return found === undefined ? code : `${found.name} (${code})`;
}

/** The different values of datasets, sorted. */
export function distinct(datasets: readonly Dataset[], value: (dataset: Dataset) => string): string[] {
  return [...new Set(datasets.map(value))].sort();
}
