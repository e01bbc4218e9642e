/** The doors of the front page as cards: the best city in 3D, questions, and everything. */
import type { Bounds } from '@citymodel/geo';
import { Fragment } from 'preact';
import { api, countsPath } from '../core/api.ts';
import { loadCityDatasets } from '../core/data.ts';
import { useLaterWords } from '../core/store.ts';
import { areaName, boundsOfAll, type Summary } from '../core/summary.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { wanted } from '../map/map-link.ts';
import texturePicture from '../pictures/texture.webp';
import { DatasetPicture } from '../ui/dataset-picture.tsx';
import { StateLink } from '../ui/link.tsx';
import { DoorMark } from './door-mark.tsx';
import { doorTitle, doorWord, textOf } from './door-words.ts';
import { type Door, type DoorSource, doorOf, type Question } from './doors.ts';
import { liveIsClosed } from './live.ts';

const QUESTIONS: readonly Question[] = ['city', 'water', 'wood', 'years'];

export function DoorCards({ summary }: { summary: Summary }) {
  const { language } = useLaterWords();
  const { value: doors } = useLoaded(`doors ${summary.totals.packages}`, (signal) => {
    const source: DoorSource = {
      datasets: loadCityDatasets,
      buildings: (code) => api(countsPath(code, { types: ['bldg'], everyYear: true }), { signal }),
      json: (path) => api(path, { signal }),
    };
    return Promise.all(QUESTIONS.map((question) => doorOf(question, summary, source)));
  });
  const everything = boundsOfAll(summary.cities);
  return (
    <nav class={doors === null ? 'doors room' : 'doors'} aria-label={doorWord(language, 'doors')}>
      {doors?.map((door) => door !== null && <DoorCard key={door.question} door={door} />)}
      {doors !== null && everything !== null && (
        <button type="button" class="door" onClick={() => showAll(everything)}>
          <DoorMark question="everything" />
          <Title phrases={doorTitle(language, 'everything')} />
          <span class="quiet">{doorWord(language, 'everythingText')}</span>
        </button>
      )}
    </nav>
  );
}

/** Lines break between phrases alone. */
function Title({ phrases }: { phrases: readonly string[] }) {
  return (
    <strong class={phrases.length > 1 ? 'phrases' : undefined}>
      {phrases.map((phrase, i) => (
        <Fragment key={phrase}>
          {i > 0 && <wbr />}
          {phrase}
        </Fragment>
      ))}
    </strong>
  );
}

/** The map of everything, also in the place of a city. */
function showAll(everything: Bounds): void {
  liveIsClosed.set(true);
  wanted.set(everything);
}

/** The city that the picture of the page was taken of; no real municipality has its code. */
const SAMPLE = '47900';

function DoorCard({ door: { question, city, others, to, count, years, picture } }: { door: Door }) {
  const { language, number } = useLaterWords();
  const values = {
    city: areaName(city, language),
    count: number(count ?? 0),
    from: String(years?.[0]),
    to: String(years?.[1]),
  };
  const more =
    question === 'city' || others === 0 ? '' : doorWord(language, 'others', { others: number(others) });
  return (
    <StateLink class={`door ${question}`} to={to}>
      {picture !== null ? (
        <DatasetPicture url={picture} alt="" />
      ) : question === 'city' && city.code === SAMPLE ? (
        <img src={texturePicture} alt="" width="704" height="300" />
      ) : (
        <DoorMark question={question} />
      )}
      <Title phrases={doorTitle(language, question, values)} />
      <span class="quiet">
        {doorWord(language, textOf(question, count !== null), values)}
        {more}
      </span>
    </StateLink>
  );
}
