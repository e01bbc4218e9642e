/** C05 and C06: attributes that the object list asks for. */
import type { XmlElement } from '@citymodel/citygml';
import { type Check, defineCheck, type FileContext, type FileVisitor, type Member } from '../../check.ts';
import { idOf } from '../../elements.ts';
import { fragmentOf, lacks } from './fragments.ts';

/** Types of features that may have parts. */
const PARTS: Record<string, string> = {
  'bldg:Building': 'bldg:BuildingPart',
  'brid:Bridge': 'brid:BridgePart',
  'tun:Tunnel': 'tun:TunnelPart',
  'uro:UndergroundBuilding': 'bldg:BuildingPart',
};

/** The directories of a file as official tables write them. */
export function placeRow(file: FileContext): Record<string, string> {
  return { package: file.folder, dirs: file.directory };
}

export const REQUIRED: Check = defineCheck<undefined>({
  code: 'C05',
  name: 'C05_必須属性等の欠落_Error',
  title: { ja: '必須属性等の欠落', en: 'Required attributes that are missing' },
  rule: {
    ja: 'オブジェクトリストが必須とする属性を、その型のすべての地物が持つこと。',
    en: 'Every feature of a type has the attributes that the object list requires.',
  },
  severity: 'error',
  specs: [4, 6],
  folders: null,
  table: {
    file: '01-2_必須属性等_C05必須属性等の欠落_TYPE',
    columns: ['package', 'dirs', 'filename', 'gml_id', 'feature_type', 'severity', 'name'],
  },
  summary: 'common2',
  open(file) {
    const types = file.package.objects?.types(file.folder);
    if (types === undefined || types.size === 0) return null;
    return {
      looksAt: (name) => types.has(name),
      element(element, _, { line }) {
        const paths = types.get(element.name);
        if (paths === undefined) return;
        const fragment = fragmentOf(element);
        const report = (name: string, severity: string, errors: number) => {
          const id = idOf(element);
          file.report({
            id,
            ref: name,
            line,
            type: element.name,
            message: `The attribute ${name} is missing.`,
            errors,
            row: {
              ...placeRow(file),
              gml_id: id ?? '',
              feature_type: element.name,
              severity,
              name,
            },
          });
        };
        for (const path of paths.required) if (lacks(fragment, path)) report(path, 'Error', 1);
        for (const path of paths.conditional) {
          if (lacks(fragment, path)) report(path, canHaveNoPart(element) ? 'Error' : 'Warn', 0);
        }
      },
    };
  },
});

/** A feature that could have parts and has none must have the attribute itself. */
function canHaveNoPart(element: XmlElement): boolean {
  const part = PARTS[element.name];
  return part !== undefined && !fragmentOf(element).names.has(part);
}

/** Types of a file, each with the target paths that one of its features has. */
type Seen = Record<string, string[]>;

export const TARGETS: Check = defineCheck<Seen>({
  code: 'C06',
  name: 'C06_現われない属性等',
  title: { ja: '現われない属性等', en: 'Attributes that no feature has' },
  rule: {
    ja: 'オブジェクトリストが作成対象とする属性が、パッケージ内のその型の地物のどれかに現れること。',
    en: 'Some feature of a type in the package has each attribute that the object list names for it.',
  },
  severity: 'error',
  specs: [4, 6],
  folders: null,
  table: {
    file: '01-2_必須属性等_C06現われない属性等_TYPE',
    columns: ['package', 'feature_type', 'name'],
  },
  summary: 'common2',
  open(file): FileVisitor<Seen> | null {
    const types = file.package.objects?.types(file.folder);
    if (types === undefined || types.size === 0) return null;
    const missing = new Map<string, Set<string>>();
    return {
      looksAt: (name) => types.has(name),
      element(element: XmlElement, _: readonly XmlElement[], __: Member) {
        const paths = types.get(element.name);
        if (paths === undefined) return;
        let left = missing.get(element.name);
        if (left === undefined) {
          left = new Set(paths.target);
          missing.set(element.name, left);
        }
        if (left.size === 0) return;
        const fragment = fragmentOf(element);
        for (const path of left) if (!lacks(fragment, path)) left.delete(path);
      },
      end() {
        const seen: Seen = {};
        for (const [type, left] of missing) {
          seen[type] = types.get(type)!.target.filter((path) => !left.has(path));
        }
        return seen;
      },
    };
  },
  join(files, context) {
    for (const [folder, inFolder] of Map.groupBy(files, (file) => file.folder)) {
      const types = context.objects?.types(folder) ?? new Map();
      const seen = new Map<string, Set<string>>();
      for (const [type, paths] of inFolder.flatMap(({ carry }) => Object.entries(carry))) {
        const there = seen.get(type) ?? new Set();
        for (const path of paths) there.add(path);
        seen.set(type, there);
      }
      for (const [type, there] of seen) {
        for (const name of types.get(type)?.target ?? []) {
          if (there.has(name)) continue;
          context.report(null, {
            id: null,
            ref: name,
            type,
            message: `No ${type} of the package has the attribute ${name}.`,
            row: { package: folder, feature_type: type, name },
          });
        }
      }
    }
  },
});
