/** What holds for a whole package: specification, plane system, code lists. */
import { crsOf, MemberCutter, parseFeature } from '@citymodel/citygml';
import type { FileEnvelope, ObjectList, PackageContext, Spec } from '../check.ts';
import type { OwnSchemas } from '../schema/own/own-schemas.ts';
import type { InspectSource } from './inspect-package.ts';
import { PackageCodeLists } from './package-code-lists.ts';
import { planeOf, planeSystem } from './plane-of.ts';
import { envelopeOf } from './read-file.ts';
import { specOf } from './spec-of.ts';

export interface InspectOptions {
  /** Found from the data when absent. */
  spec?: Spec;
  /** EPSG code of a plane system; found from the data when absent. */
  plane?: number;
  objects?: ObjectList | null;
  likeUpstream?: boolean;
  schemas?: OwnSchemas | null;
}

/** Bytes of a file that are looked at for its envelope and version. */
const HEAD_BYTES = 1 << 20;

/** Throws a RangeError for a plane system that is not known. */
export async function openPackage(
  source: InspectSource,
  options: InspectOptions = {},
): Promise<PackageContext> {
  const head = options.spec !== undefined && options.plane !== undefined ? null : await headOf(source);
  const spec = options.spec ?? head?.spec ?? 4;
  return contextOf(source, {
    ...options,
    spec,
    plane: options.plane ?? planeFor(source.name, head?.envelope ?? null),
  });
}

/** What holds for a package of which that much is known. Throws a RangeError for a plane system that is not known. */
export function contextOf(
  source: InspectSource,
  { spec, plane, ...options }: InspectOptions & { spec: Spec; plane: number },
): PackageContext {
  const system = planeSystem(plane);
  const lists = new PackageCodeLists(source);
  return {
    spec,
    plane,
    toPlane: (lng, lat) => system.toPlane(lng, lat),
    codeList: (codeSpace, path) => lists.find(codeSpace, path),
    hasMember: (path) => source.has(path),
    likeUpstream: options.likeUpstream === true ? { pairs: new Set() } : null,
    objects: options.objects ?? null,
    schemas: options.schemas ?? null,
  };
}

/** Null for what no file says. */
interface Head {
  spec: Spec | null;
  envelope: FileEnvelope | null;
}

/** Version of the first file that says one, and envelope of the first that has one at its beginning. */
async function headOf(source: InspectSource): Promise<Head> {
  let spec: Spec | null = null;
  for (const { path } of source.files) {
    const cutter = new MemberCutter(source.text(path), HEAD_BYTES);
    try {
      const member = await cutter.next();
      const { context } = cutter;
      if (context === null) continue;
      if (context.versionOf('core') !== null) spec ??= specOf(context);
      if (member?.name !== 'gml:boundedBy' || member.text === null) continue;
      const envelope = envelopeOf(parseFeature(member.text, context));
      if (envelope.lower !== null && envelope.upper !== null) return { spec, envelope };
    } catch {
      // Reading the file says what is wrong with it.
    } finally {
      await cutter.close();
    }
  }
  return { spec, envelope: null };
}

/** The plane system of a package by its name, else by the envelope of a file. */
export function planeFor(name: string, envelope: FileEnvelope | null): number {
  const prefecture = /^(\d{2})\d{3}_/.exec(name)?.[1] ?? null;
  const { lower, upper, srsName } = envelope ?? { lower: null, upper: null, srsName: null };
  if (lower === null || upper === null) return planeOf(prefecture, 139.8, 36);
  const middle = [(lower[0]! + upper[0]!) / 2, (lower[1]! + upper[1]!) / 2] as const;
  const crs = srsName === null ? null : crsOf(srsName);
  const [lng, lat] = crs === null ? [middle[1], middle[0]] : crs.toLngLat(middle[0], middle[1]);
  return planeOf(prefecture, lng, lat);
}
