/** What is known of the feature that was clicked: what people ask first, then everything. */
import type { ComponentChildren } from 'preact';
import { attributesPath } from '../core/api.ts';
import type { DatasetRow } from '../core/catalogue.ts';
import { valueIn } from '../core/code-names.ts';
import { config } from '../core/config.ts';
import { addressOf, useWords } from '../core/store.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { InWords } from '../ui/in-words.tsx';
import { StateLink } from '../ui/link.tsx';
import { Copy, Failure, Loading } from '../ui/parts.tsx';
import { AttributeList } from './attribute-list.tsx';
import { type CardFacts, cardFacts, type Scenario } from './card-facts.ts';
import type { Properties } from './colouring.ts';
import { findAttributes, findFlood, type Looked, typeOfFeature } from './find-attributes.ts';
import { attributesOfTile, FLOODS, type FloodFacts, floodFacts } from './flood-facts.ts';
import { HouseDrawing } from './house.tsx';
import type { PickedFeature } from './tile-scene.ts';
import { useThree } from './words.ts';
import '../styles/house.css';

interface BuildingCardProps {
  id: string | null;
  feature: PickedFeature;
  /** The dataset that the feature's tile belongs to, when it is one of the catalogue. */
  row: DatasetRow | undefined;
  onClose: () => void;
}

export function BuildingCard({ id, feature, row, onClose }: BuildingCardProps) {
  const { t, language } = useWords();
  const three = useThree();
  const type = row?.type_en ?? typeOfFeature(feature.properties.feature_type, 'bldg');
  const { at, around } = feature;
  const isFlood = FLOODS.has(type);
  const looked = useLoaded(
    keyOf({ id, type, isFlood, at }),
    (signal) => {
      const wanted = { around, type, year: row?.year ?? null };
      return id === null
        ? findFlood({ ...wanted, at: at!, flood: floodFacts(feature.properties) }, signal)
        : findAttributes({ ...wanted, id }, signal);
    },
    { keep: false },
  );
  const found = looked.value?.found ?? null;
  const attributes = found?.attributes ?? attributesOfTile(feature.properties);
  const facts = cardFacts(attributes);
  const use = facts.use === '' ? '' : valueIn(language, facts.use);
  const title =
    use === '' || isFlood
      ? t('attributes')
      : facts.year === ''
        ? use
        : three('cardTitleYear', { use, year: facts.year });
  const shownId = id ?? found?.id ?? null;
  const link = new URL(addressOf({ feature: id }), location.href).href;
  return (
    <section class="feature" aria-live="polite">
      <div class="heading">
        <h2>{facts.name !== '' ? <InWords value={facts.name} /> : title}</h2>
        <button type="button" class="button small" onClick={onClose}>
          {t('close')}
        </button>
      </div>
      {type === 'bldg' && facts.height !== null && facts.height > 0 && (
        <HouseDrawing
          house={{
            height: facts.height,
            storeys: facts.storeysAbove,
            width: facts.width,
            isPitched: facts.isPitched,
            depths: facts.scenarios.flatMap(({ depth }) => (depth === null ? [] : [depth])),
          }}
        />
      )}
      {isFlood ? <Water facts={floodFacts(attributes)} /> : <Facts facts={facts} />}
      {looked.loading && <Loading text={t('attributesLooking')} />}
      {looked.error !== null && <Failure error={looked.error} retry={looked.retry} />}
      {found !== null && type === 'bldg' && <Floods scenarios={facts.scenarios} />}
      {shownId !== null && (
        <div class="card-id">
          <code title={shownId}>{shownId}</code>
          <Copy text={shownId} label="gml:id" />
          {id !== null && <CopyButton text={link} label={three('copyLink')} />}
        </div>
      )}
      {found !== null && (
        <>
          {found.url !== null && (
            <p class="row-buttons">
              <a class="button small" href={found.url}>
                {three('openGml')}
              </a>
              <BlockLink url={found.url} type={type} />
            </p>
          )}
          <details>
            <summary>{three('cardRest')}</summary>
            <AttributeList attributes={facts.rest} />
          </details>
          {found.url !== null && <Code url={found.url} id={found.id} />}
        </>
      )}
      {!looked.loading && found === null && looked.error === null && (
        <p class="notice">{notFound(looked.value, id, three)}</p>
      )}
      <details open={!looked.loading && found === null}>
        <summary>{t('tileSays')}</summary>
        <Tile properties={feature.properties} />
      </details>
    </section>
  );
}

/** What the lookup depends on; null where nothing can be looked up: a tile without an id, and no place. */
function keyOf({
  id,
  type,
  isFlood,
  at,
}: Pick<PickedFeature, 'at'> & { id: string | null; type: string; isFlood: boolean }): string | null {
  if (id !== null) return `${id} ${type}`;
  return isFlood && at !== null ? `${at.join()} ${type}` : null;
}

/** Says what was looked into, and no more. */
function notFound(looked: Looked | null, id: string | null, three: ReturnType<typeof useThree>): string {
  const sentence =
    looked === null
      ? three('cardNoId')
      : id === null && looked.of === 0
        ? three('cardNoFloodArea')
        : looked.of === 0
          ? three('cardNoFiles')
          : looked.files < looked.of
            ? three('cardNotInSome', { files: looked.files, of: looked.of })
            : three('cardNotInFiles', { files: looked.files });
  return sentence + three('cardTileBelow');
}

/** Water that was clicked. */
function Water({ facts }: { facts: FloodFacts }) {
  const { number } = useWords();
  const three = useThree();
  const { depth, rank, source, scale, admin, duration } = facts;
  const rows: Array<[string, ComponentChildren]> = [
    [three('cardDepth'), depth === null ? rank && <InWords value={rank} /> : `${number(depth)} m`],
    [three('cardDuration'), duration],
    [three('cardAdmin'), admin && <InWords value={admin} />],
    [three('cardScale'), scale && <InWords value={scale} />],
    [three('cardSource'), source && <InWords value={source} />],
  ];
  return <FactList rows={rows} />;
}

function Facts({ facts }: { facts: CardFacts }) {
  const { number } = useWords();
  const three = useThree();
  const { height, storeysAbove, storeysBelow, use, structure, year, address } = facts;
  const storeys = [
    ...(storeysAbove === null ? [] : [number(storeysAbove)]),
    ...(storeysBelow === null || storeysBelow === 0 ? [] : [three('cardBelow', { n: storeysBelow })]),
  ].join(' · ');
  const rows: Array<[string, ComponentChildren]> = [
    [three('cardHeight'), height === null ? '' : `${number(height)} m`],
    [three('cardStoreys'), storeys],
    [three('cardUse'), use && <InWords value={use} />],
    [three('cardYear'), year],
    [three('cardStructure'), structure && <InWords value={structure} />],
    [three('cardAddress'), address && <InWords value={address} />],
  ];
  return <FactList rows={rows} />;
}

/** What is known, the last in the whole width. */
function FactList({ rows }: { rows: ReadonlyArray<readonly [string, ComponentChildren]> }) {
  return (
    <dl class="card-facts">
      {rows.map(
        ([name, value], i) =>
          value !== '' && (
            <div key={name} class={i === rows.length - 1 ? 'wide-fact' : ''}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Metres at which a bar is full: a house is under water to its roof. */
const FULL_BAR = 10;

function Floods({ scenarios }: { scenarios: readonly Scenario[] }) {
  const { number } = useWords();
  const three = useThree();
  return (
    <div class="floods">
      <h3>{three('cardFloods')}</h3>
      {scenarios.length === 0 && <p class="quiet">{three('cardNoFloods')}</p>}
      <ul>
        {scenarios.map((scenario, i) => (
          <li key={i}>
            <span>
              <InWords value={scenario.name} />
              {scenario.scale !== '' && (
                <span class="quiet">
                  {' '}
                  · <InWords value={scenario.scale} />
                </span>
              )}
            </span>
            <strong>
              {scenario.depth === null ? <InWords value={scenario.rank} /> : `${number(scenario.depth)} m`}
            </strong>
            {scenario.depth !== null && (
              <span class="bar" aria-hidden="true">
                <span style={{ width: `${Math.min(100, (100 * scenario.depth) / FULL_BAR)}%` }} />
              </span>
            )}
            {scenario.depth !== null && scenario.rank !== '' && (
              <span class="quiet">
                <InWords value={scenario.rank} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The basket with the mesh of the file, where the file's name has one. */
function BlockLink({ url, type }: { url: string; type: string }) {
  const three = useThree();
  const mesh = /\/(\d{6}|\d{8,11})_[^/]+$/.exec(url)?.[1];
  return mesh === undefined ? null : (
    <StateLink to={{ view: 'basket', areas: [`m:${mesh}`], types: [type] }} class="button small">
      {three('blockZip')}
    </StateLink>
  );
}

function Code({ url, id }: { url: string; id: string }) {
  const three = useThree();
  const request = config.publicUrl + attributesPath(url, [id]);
  const texts: Array<[string, string]> = [
    ['curl', `curl '${request}'`],
    [
      'Python',
      `import json, urllib.request\nwith urllib.request.urlopen("${request}") as answer:\n    [feature] = ` +
        `json.load(answer)\nprint(json.dumps(feature, ensure_ascii=False, indent=2))`,
    ],
  ];
  return (
    <details>
      <summary>{three('cardCode')}</summary>
      {texts.map(([name, text]) => (
        <div key={name} class="card-code">
          <div class="heading">
            <h3>{name}</h3>
            <Copy text={text} label={name} />
          </div>
          <pre>{text}</pre>
        </div>
      ))}
    </details>
  );
}

function CopyButton({ text, label }: { text: string; label: string }) {
  return (
    <span class="labelled-copy">
      {label} <Copy text={text} label={label} />
    </span>
  );
}

function Tile({ properties }: { properties: Properties }) {
  const { t } = useWords();
  const nested = attributesOfTile(properties);
  const rows = Object.entries(properties).filter(
    ([name, value]) =>
      value !== null &&
      value !== undefined &&
      value !== '' &&
      typeof value !== 'object' &&
      !(name === 'attributes' && nested !== properties),
  );
  return (
    <table class="fields">
      <caption class="visually-hidden">{t('tileSays')}</caption>
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <InWords value={value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
