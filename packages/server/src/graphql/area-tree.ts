/** The areas of the packages: prefectures, their municipalities, the wards of cities that are divided. */

import { type Bounds, boundsToArray, unionBounds } from '@citymodel/geo';
import type { PackageRow } from '@citymodel/store';
import { area, cityOfWard, membersOf, wardsOf } from '../catalogue/names/areas.ts';
import type { Snapshot } from '../catalogue/snapshot/snapshot.ts';
import { AreaNode, type AreaType, compareAreas } from './area-node.ts';

export class AreaTree {
  /** Every area in order of code, wards without anything of their own included. */
  readonly all: readonly AreaNode[];
  readonly #byId = new Map<string, AreaNode>();
  readonly #ofRow = new Map<string, AreaNode>();

  constructor(snapshot: Snapshot) {
    for (const row of snapshot.packages) {
      for (let node: AreaNode | null = this.#add(row); node !== null; node = node.parent) node.hasData = true;
    }
    for (const city of [...this.#byId.values()]) if (city.type === 'CITY') this.#addEmptyWards(city);
    this.all = [...this.#byId.values()].sort(compareAreas);
    for (const node of this.all) {
      if (node.hasData) node.parent?.children.push(node);
      node.bbox = boundsOf(node, snapshot);
    }
  }

  byId(id: string): AreaNode | undefined {
    return this.#byId.get(id);
  }

  /** The area of a code: where a municipality and a ward have the same one (13101), the municipality. */
  byCode(code: string): AreaNode | undefined {
    if (code.length === 2) return this.#byId.get(`p_${code}`);
    return this.#byId.get(`c_${code}`) ?? this.#byId.get(`w_${code}`);
  }

  /** The area that a package is of. */
  ofRow(row: PackageRow): AreaNode {
    return this.#ofRow.get(rowKey(row))!;
  }

  #add(row: PackageRow): AreaNode {
    const key = rowKey(row);
    const existing = this.#ofRow.get(key);
    // The newest package names an area.
    if (existing !== undefined && existing.nameYear >= row.year) return existing;
    const node = this.#make(row);
    this.#ofRow.set(key, node);
    return node;
  }

  #make(row: PackageRow): AreaNode {
    const prefecture = this.#node('PREFECTURE', row.prefCode, row.pref, null, row.year);
    if (row.cityCode.length === 2) return prefecture;
    const outer = row.wardCode === null ? cityOfWard(row.cityCode) : row.cityCode;
    if (outer === undefined) return this.#node('CITY', row.cityCode, row.city, prefecture, row.year);
    const cityName = row.wardCode === null ? (area(outer)?.name ?? outer) : row.city;
    const city = this.#node('CITY', outer, cityName, prefecture, row.year);
    if (row.wardCode === null) return this.#node('WARD', row.cityCode, row.city, city, row.year);
    return this.#node('WARD', row.wardCode, row.ward ?? row.wardCode, city, row.year);
  }

  #node(type: AreaType, code: string, name: string, parent: AreaNode | null, year: number): AreaNode {
    const created = new AreaNode(type, code, name, parent);
    const node = this.#byId.get(created.id) ?? created;
    if (node === created) this.#byId.set(created.id, created);
    if (year > node.nameYear) {
      node.name = name;
      node.nameYear = year;
    }
    return node;
  }

  /** A ward of a city that has packages can be asked for by its code, though it has none itself. */
  #addEmptyWards(city: AreaNode): void {
    for (const ward of wardsOf(city.code)) {
      if (this.byCode(ward.code) === undefined) this.#node('WARD', ward.code, ward.name, city, 0);
    }
  }
}

function rowKey(row: PackageRow): string {
  return `${row.prefCode}/${row.cityCode}/${row.wardCode ?? ''}`;
}

function boundsOf(node: AreaNode, snapshot: Snapshot): number[] | null {
  const codes = node.type === 'CITY' ? membersOf(node.code) : [node.code];
  let bounds: Bounds | null = null;
  for (const code of codes) bounds = unionBounds(bounds, snapshot.boundsOf(code));
  return bounds === null ? null : boundsToArray(bounds);
}
