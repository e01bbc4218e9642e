/**
 * The questions that the front page answers, each with the municipality that answers it best. A question to which the
 * catalogue has no answer has no door.
 */
import { compareTexts, typesOfNature } from '@citymodel/base';
import { formatTilesSpec } from 'citymodel-server/shared';
import type { DatasetRow } from '../core/catalogue.ts';
import { featuresPath } from '../core/feature-query.ts';
import type { FileCounts } from '../core/files.ts';
import type { FeatureStatistics } from '../core/interface-types.ts';
import { MODELS, SOURCES } from '../core/output-kinds.ts';
import type { State } from '../core/state.ts';
import { cityBounds, type Summary, type SummaryCity } from '../core/summary.ts';
import { bestOf, kindsOf, type ModelKind } from '../three/choice.ts';

const FLOODS: ReadonlySet<string> = new Set(typesOfNature('flood'));
const STRUCTURE = 'uro:buildingStructureType';
const YEAR = 'bldg:yearOfConstruction';
/** Since June 1981 buildings have to withstand stronger earthquakes. */
const OLD = `${YEAR}<1981`;
/** What the code list calls a structure of wood. */
const WOOD = /^木造/;
/** Half of the side of the part of a municipality that is searched where nothing is counted, degrees. */
const PART = 0.01;
/** Features of that part that are looked at. */
const SEARCHED = 100;
/** Municipalities that are asked for an answer, at most. */
const ASKED = 3;

export type Question = 'city' | 'water' | 'wood' | 'years';

/** An answer to a question. */
export interface Door {
  readonly question: Question;
  readonly city: SummaryCity;
  /** How many other municipalities may have an answer. */
  readonly others: number;
  /** What the page shows then. */
  readonly to: Partial<State>;
  /** Features counted; null where nobody has. */
  readonly count: number | null;
  /** Address of a picture of the city; null where it was not drawn. */
  readonly picture: string | null;
  /** The years that are compared. */
  readonly years: readonly [from: number, to: number] | null;
}

/** What doors ask the service. */
export interface DoorSource {
  datasets(city: string): Promise<readonly DatasetRow[]>;
  /** Features of buildings by edition of CityGML. */
  buildings(city: string): Promise<FileCounts>;
  json<T>(path: string): Promise<T>;
}

/** Municipalities that may answer, those with most features first. */
export function candidatesFor(question: Question, { cities }: Summary): SummaryCity[] {
  return cities
    .filter((city) => mayAnswer(question, city))
    .sort((a, b) => b.features - a.features || b.bytes - a.bytes || compareTexts(a.code, b.code));
}

function mayAnswer(question: Question, { types, formats, years }: SummaryCity): boolean {
  const has3d = types.includes('bldg') && formats.includes(MODELS);
  switch (question) {
    case 'city':
      return has3d;
    case 'water':
      return has3d && types.some((type) => FLOODS.has(type));
    case 'wood':
      return has3d && formats.includes(SOURCES);
    case 'years':
      return types.includes('bldg') && formats.includes(SOURCES) && years.length > 1;
  }
}

/**
 * The door of a question: that of the first municipality of some that has an answer. Null where none has, and where the
 * service does not answer: the front page then does without.
 */
export async function doorOf(question: Question, summary: Summary, source: DoorSource): Promise<Door | null> {
  const candidates = candidatesFor(question, summary);
  for (const city of candidates.slice(0, ASKED)) {
    const answer = await answerOf(question, city, source).catch(() => null);
    if (answer !== null) {
      return {
        count: null,
        years: null,
        picture: null,
        ...answer,
        question,
        city,
        others: candidates.length - 1,
      };
    }
  }
  return null;
}

type Answer = Pick<Door, 'to'> & Partial<Pick<Door, 'count' | 'years' | 'picture'>>;

async function answerOf(question: Question, city: SummaryCity, source: DoorSource): Promise<Answer | null> {
  if (question === 'years') return yearsOf(city, source);
  const rows = await source.datasets(city.code);
  const kinds = kindsOf(rows);
  const buildings = kinds.find(({ key }) => key === 'bldg');
  if (buildings === undefined) return null;
  const shown: Partial<State> = {
    view: '3d',
    model: formatTilesSpec(bestOf(city.code, buildings)),
    also: [],
    camera: null,
    feature: null,
    colour: '',
    where: '',
  };
  if (question === 'city') return { to: shown, picture: pictureOf(rows) };
  if (question === 'wood') return woodOf(city, shown, source);
  const water = deepestOf(kinds);
  return water === null ? null : { to: { ...shown, also: [formatTilesSpec(bestOf(city.code, water))] } };
}

/** The picture of the buildings with the most detail, in the newest year. */
function pictureOf(rows: readonly DatasetRow[]): string | null {
  const rank = ({ lod, texture, year, file_size }: DatasetRow) => [
    Number(lod),
    Number(texture),
    year,
    file_size,
  ];
  let best: DatasetRow | null = null;
  for (const row of rows) {
    if (row.type_en !== 'bldg' || row.picture_url === undefined) continue;
    if (best === null) best = row;
    const [own, other] = [rank(row), rank(best)];
    const at = own.findIndex((value, i) => value !== other[i]);
    if (at !== -1 && own[at]! > other[at]!) best = row;
  }
  return best?.picture_url ?? null;
}

/** Of rivers the largest flood assumed, whose part ends in `l2`; else any water. */
function deepestOf(kinds: readonly ModelKind[]): ModelKind | null {
  const floods = kinds.filter(({ type }) => FLOODS.has(type));
  return floods.find(({ sub }) => sub?.endsWith('_l2')) ?? floods[0] ?? null;
}

async function woodOf(
  city: SummaryCity,
  shown: Partial<State>,
  { json }: DoorSource,
): Promise<Answer | null> {
  const path = `/citygml/statistics?area=${city.code}&type=bldg&attributes=v2`;
  const to = (wood: string) => ({ ...shown, where: `${STRUCTURE}=${wood};${OLD}` });
  const { attributes, features: counted } = await json<FeatureStatistics>(path);
  if ([STRUCTURE, YEAR].every((name) => attributes.some((one) => one.endsWith(name)))) {
    const query = new URLSearchParams({ by: STRUCTURE, where: OLD });
    const { groups } = await json<FeatureStatistics>(`${path}&${query}`);
    for (const { by, count } of groups) {
      const wood = woodIn(by);
      if (wood !== null) return { to: to(wood), count };
    }
  }
  if (counted > 0) return null;
  // Nothing is counted where a package has no tables yet: some part of it is searched then.
  const bounds = cityBounds(city);
  if (bounds === null) return null;
  const [lng, lat] = [(bounds.west + bounds.east) / 2, (bounds.south + bounds.north) / 2];
  const middle = { west: lng - PART, south: lat - PART, east: lng + PART, north: lat + PART };
  const part = featuresPath(
    { place: { bounds: middle }, type: 'bldg', city: city.code, where: OLD },
    'geojson',
  );
  const { features } = await json<Features>(`${part}&limit=${SEARCHED}`);
  const wood = features.map(({ properties }) => woodIn(properties)).find((text) => text !== null);
  return wood === undefined ? null : { to: to(wood) };
}

interface Features {
  features: Array<{ properties: Record<string, unknown> }>;
}

/** The structure of wood among attributes; null for any other. */
function woodIn(attributes: Record<string, unknown>): string | null {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.endsWith(STRUCTURE) && typeof value === 'string' && WOOD.test(value)) return value;
  }
  return null;
}

async function yearsOf({ code }: SummaryCity, { buildings }: DoorSource): Promise<Answer | null> {
  const counts = await buildings(code);
  const years = [...new Set(counts.cities.map(({ year }) => year))].sort((a, b) => b - a);
  const [to, from] = years;
  if (to === undefined || from === undefined) return null;
  return { to: { view: 'changes', compared: `${code},bldg,${from},${to}` }, years: [from, to] };
}
