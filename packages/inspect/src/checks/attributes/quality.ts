/** C07 and C08: what a feature says of the quality of its geometry, level by level. */
import { localName, type XmlElement } from '@citymodel/citygml';
import { type Check, type CheckFacts, defineCheck, type FileContext } from '../../check.ts';
import { askedOnce, idOf, remembered } from '../../elements.ts';
import { levelsOf } from './fragments.ts';
import { placeRow } from './required.ts';

/** The code for geometry that was made from public surveys. */
const PUBLIC_SURVEY = '000';
const OF_SURVEYS = ['srcScaleLod', 'publicSurveySrcDescLod'];

const FACTS = {
  severity: 'error',
  specs: [4, 6],
  folders: null,
  summary: 'common2',
} satisfies Partial<CheckFacts>;
const COLUMNS = ['package', 'dirs', 'filename', 'gml_id', 'feature_type', 'lod', 'name'];

export const GEOMETRY_SOURCES: Check = defineCheck<undefined>({
  ...FACTS,
  code: 'C07',
  name: 'C07_品質属性',
  title: { ja: '品質属性の欠落', en: 'Sources of geometry that are not told' },
  rule: {
    ja: '品質属性を持つ地物が、持っているすべての LOD の geometrySrcDescLodN を持つこと。',
    en: 'A feature with attributes of quality has geometrySrcDescLodN for every level of detail that it has.',
  },
  table: { file: '01-2_必須属性等_C07品質属性_TYPE', columns: COLUMNS },
  inPassing: 'attributes',
  open: (file) => ({
    looksAt: (name) => !name.startsWith('gml:'),
    element(element, above, { line }) {
      if (!isLooked(element, above, file)) return;
      const quality = qualityOf(element);
      if (quality === null) return;
      for (const lod of levelsOf(element)) {
        if (valuesOf(element, `geometrySrcDescLod${lod}`).length > 0) continue;
        report(file, element, line, lod, `DataQualityAttribute`, `geometrySrcDescLod${lod}`);
      }
    },
  }),
});

export const PUBLIC_SURVEYS: Check = defineCheck<undefined>({
  ...FACTS,
  code: 'C08',
  name: 'C08_公共測量品質属性',
  title: { ja: '公共測量品質属性の欠落', en: 'Public surveys that are not told' },
  rule: {
    ja: 'geometrySrcDescLodN が「000」（公共測量成果）の地物が、srcScaleLodN と publicSurveySrcDescLodN を持つこと。',
    en: 'A feature whose geometrySrcDescLodN is 000, public surveys, has srcScaleLodN and publicSurveySrcDescLodN.',
  },
  table: { file: '01-2_必須属性等_C08公共測量品質属性_TYPE', columns: COLUMNS },
  inPassing: 'attributes',
  open: (file) => ({
    looksAt: (name) => !name.startsWith('gml:'),
    element(element, above, { line }) {
      if (!isLooked(element, above, file)) return;
      if (qualityOf(element) === null) return;
      for (const lod of levelsOf(element)) {
        const sources = valuesOf(element, `geometrySrcDescLod${lod}`);
        if (sources.length !== 1 || sources[0] !== PUBLIC_SURVEY) continue;
        for (const name of OF_SURVEYS) {
          if (valuesOf(element, `${name}${lod}`).length > 0) continue;
          report(file, element, line, lod, 'PublicSurveyDataQualityAttribute', `${name}${lod}`);
        }
      }
    },
  }),
});

/** Features that the object list names, or those of the members where there is none. */
function isLooked(element: XmlElement, above: readonly XmlElement[], file: FileContext): boolean {
  const types = file.package.objects?.types(file.folder);
  return types === undefined || types.size === 0 ? above.length === 0 : types.has(element.name);
}

/** `uro:DataQualityAttribute`, also under the prefixes of later versions. */
const QUALITY = /:(?:PublicSurvey)?DataQualityAttribute$/;
/** What is asked of names again and again. */
const isQuality = remembered((name) => QUALITY.test(name));

/** What a fragment says of quality, by local name; null where it has no `DataQualityAttribute`. */
const qualityOf = askedOnce((element): ReadonlyMap<string, string[]> | null => {
  const values = new Map<string, string[]>();
  let isThere = false;
  for (const holder of holdersBelow(element)) {
    isThere ||= localName(holder.name) === 'DataQualityAttribute';
    for (const { name, text } of holder.children) {
      const key = localName(name);
      values.set(key, [...(values.get(key) ?? []), text]);
    }
  }
  return isThere ? values : null;
});

/** Elements that say something of quality; geometry says nothing. */
function holdersBelow(element: XmlElement, found: XmlElement[] = []): XmlElement[] {
  if (isQuality(element.name)) found.push(element);
  for (const child of element.children) {
    if (child.children.length > 0 && !child.name.startsWith('gml:')) holdersBelow(child, found);
  }
  return found;
}

function valuesOf(element: XmlElement, name: string): string[] {
  return qualityOf(element)?.get(name) ?? [];
}

function report(
  file: FileContext,
  element: XmlElement,
  line: number,
  lod: number,
  holder: string,
  property: string,
): void {
  file.report(() => {
    const prefix = file.spec === 6 ? 'urc' : 'uro';
    const [id, name] = [idOf(element), `${prefix}:${holder}/${prefix}:${property}`];
    return {
      id,
      ref: name,
      line,
      type: element.name,
      lod,
      message: `The attribute ${name} is missing.`,
      row: { ...placeRow(file), gml_id: id ?? '', feature_type: element.name, lod: `LOD${lod}`, name },
    };
  });
}
