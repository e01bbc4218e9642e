/** Datasets in groups for the eye: those of a municipality, of these the types, and of one thing all its years. */
import type { DatasetRow } from '../core/catalogue.ts';

/** One thing of one place, such as buildings of LOD 2 without textures. */
export interface DatasetSet {
  newest: DatasetRow;
  /** Of earlier years, the newer ones first. */
  older: readonly DatasetRow[];
  /** Whether it is the first of its type in the municipality. */
  beginsType: boolean;
}

export interface CityGroup {
  /** Of a municipality, or of a prefecture whose datasets are of no municipality. */
  code: string;
  sets: readonly DatasetSet[];
}

/** @param rows in the order `place`: what belongs together is beside each other */
export function groupsOf(rows: readonly DatasetRow[]): CityGroup[] {
  const groups: Array<{ code: string; sets: Array<DatasetSet & { older: DatasetRow[] }> }> = [];
  for (const row of rows) {
    let group = groups.at(-1);
    if (group?.code !== row.city_code) {
      group = { code: row.city_code, sets: [] };
      groups.push(group);
    }
    const last = group.sets.at(-1);
    if (last !== undefined && keyOf(last.newest) === keyOf(row)) last.older.push(row);
    else group.sets.push({ newest: row, older: [], beginsType: last?.newest.type_en !== row.type_en });
  }
  return groups;
}

/** What a dataset is, without its year; its name has the river, zone or other part. */
function keyOf(row: DatasetRow): string {
  const { ward_code, type_en, name, format, lod, texture, interior } = row;
  return JSON.stringify([ward_code ?? null, type_en, name, format, lod, texture, interior]);
}
