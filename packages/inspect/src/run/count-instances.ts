/** How many features a file has (C02): counts of types, for some folders by level of detail. */
import { localName, type XmlElement } from '@citymodel/citygml';
import type { FileVisitor } from '../check.ts';
import { lodGeometries } from '../geometry/lod-geometry.ts';

export interface InstanceCount {
  type: string;
  lod: number | null;
  n: number;
}

const BOUNDARIES =
  'RoofSurface GroundSurface WallSurface ClosureSurface OuterCeilingSurface OuterFloorSurface'.split(' ');
const INTERIORS = 'CeilingSurface InteriorWallSurface FloorSurface'.split(' ');

/** Types that are counted wherever they are, also when there is none. */
const TYPES: Record<string, readonly string[]> = {
  bldg: [
    'Building',
    'BuildingPart',
    ...BOUNDARIES,
    'BuildingInstallation',
    'Door',
    'Window',
    'Room',
    ...INTERIORS,
    'IntBuildingInstallation',
    'BuildingFurniture',
  ],
  brid: [
    'Bridge',
    'BridgePart',
    ...BOUNDARIES,
    'BridgeConstructionElement',
    'BridgeInstallation',
    'Door',
    'Window',
    'BridgeRoom',
    ...INTERIORS,
    'IntBridgeInstallation',
    'BridgeFurniture',
  ],
  tun: [
    'Tunnel',
    'TunnelPart',
    ...BOUNDARIES,
    'TunnelInstallation',
    'Door',
    'Window',
    'HollowSpace',
    ...INTERIORS,
    'IntTunnelInstallation',
    'TunnelFurniture',
  ],
  ubld: [
    'UndergroundBuilding',
    'BuildingPart',
    ...BOUNDARIES,
    'BuildingInstallation',
    'Door',
    'Window',
    'Room',
    ...INTERIORS,
    'IntBuildingInstallation',
    'BuildingFurniture',
  ],
};
/** Folders whose features are counted by level of detail. */
const BY_LEVEL = new Set(['cons', 'wtr', 'unf', 'gen']);

/** Counts while a file is read; `take` once it has been. */
export class InstanceCounter implements FileVisitor<undefined> {
  readonly #counts = new Map<string, InstanceCount>();
  readonly #types: ReadonlySet<string> | null;
  readonly #byLevel: boolean;

  constructor(folder: string) {
    const types = TYPES[folder];
    this.#types = types === undefined ? null : new Set(types);
    this.#byLevel = BY_LEVEL.has(folder);
    for (const type of types ?? []) this.#add(type, null, 0);
  }

  looksAt(name: string): boolean {
    return !this.#byLevel && !name.startsWith('gml:') && (this.#types?.has(localName(name)) ?? true);
  }

  element({ name }: XmlElement, above: readonly XmlElement[]): void {
    if (this.#byLevel) return;
    const local = localName(name);
    const isCounted = this.#types === null ? above.length === 0 : this.#types.has(local);
    if (isCounted && !name.startsWith('gml:')) this.#add(local, null, 1);
  }

  member(member: Parameters<NonNullable<FileVisitor<undefined>['member']>>[0]): undefined {
    if (!this.#byLevel) return;
    const seen = new Set<string>();
    for (const { holder, lod } of lodGeometries(member)) {
      const key = `${holder.attributes['gml:id'] ?? ''} ${holder.name} ${lod}`;
      if (holder.attributes['gml:id'] !== undefined && seen.has(key)) continue;
      seen.add(key);
      this.#add(localName(holder.name), lod, 1);
    }
  }

  take(): InstanceCount[] {
    return [...this.#counts.values()];
  }

  #add(type: string, lod: number | null, n: number): void {
    const key = `${type} ${lod}`;
    const count = this.#counts.get(key);
    if (count === undefined) this.#counts.set(key, { type, lod, n });
    else count.n += n;
  }
}
