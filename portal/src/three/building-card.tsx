/** What is known of the feature that was clicked: what people ask first, then everything. */
import type { ComponentChildren } from 'preact';
import { attributesPath } from '../core/api.ts';
import type { DatasetRow } from '../core/catalogue.ts';
import { config } from '../core/config.ts';
import { addressOf, useWords } from '../core/store.ts';
import { useLoaded } from '../core/use-loaded.ts';
import { InWords } from '../ui/in-words.tsx';
import { StateLink } from '../ui/link.tsx';
import { Copy, Failure, Loading } from '../ui/parts.tsx';
import { AttributeList } from './attribute-list.tsx';
import { type CardFacts, cardFacts, type Scenario } from './card-facts.ts';
import type { Properties } from './colouring.ts';
import { findAttributes, typeOfFeature } from './find-attributes.ts';
import type { PickedFeature } from './tile-scene.ts';
import { useThree } from './words.ts';

interface BuildingCardProps {
  id: string | null;
  feature: PickedFeature;
  /** The dataset that the feature's tile belongs to, when it is one of the catalogue. */
  row: DatasetRow | undefined;
  onClose: () => void;
}

export function BuildingCard({ id, feature, row, onClose }: BuildingCardProps) {
  const { t } = useWords();
  const three = useThree();
  const type = row?.type_en ?? typeOfFeature(feature.properties.feature_type, 'bldg');
  const found = useLoaded(
    id && `${id} ${type}`,
    (signal) => findAttributes({ id: id!, around: feature.around, type, year: row?.year ?? null }, signal),
    { keep: false },
  );
  const facts = cardFacts(found.value?.attributes ?? feature.properties);
  const link = new URL(addressOf({ feature: id }), location.href).href;
  return (
    <section class="feature" aria-live="polite">
      <div class="heading">
        <h2>{facts.name !== '' ? facts.name : t('attributes')}</h2>
        <button type="button" class="button small" onClick={onClose}>
          {t('close')}
        </button>
      </div>
      <Facts facts={facts} />
      {found.loading && id !== null && <Loading text={t('attributesLooking')} />}
      {found.error !== null && <Failure error={found.error} retry={found.retry} />}
      {found.value !== null && type === 'bldg' && <Floods scenarios={facts.scenarios} />}
      {id !== null && (
        <div class="card-id">
          <code title={id}>{id}</code>
          <Copy text={id} label="gml:id" />
          <CopyButton text={link} label={three('copyLink')} />
        </div>
      )}
      {found.value !== null && (
        <>
          <p class="row-buttons">
            <a class="button small" href={found.value.url}>
              {three('openGml')}
            </a>
            <BlockLink url={found.value.url} type={type} />
          </p>
          <details>
            <summary>{three('cardRest')}</summary>
            <AttributeList attributes={facts.rest} />
          </details>
          <Code url={found.value.url} id={id!} />
        </>
      )}
      {!found.loading && found.value === null && found.error === null && (
        <p class="notice">{t('attributesNoFile')}</p>
      )}
      <details open={!found.loading && found.value === null}>
        <summary>{t('tileSays')}</summary>
        <Tile properties={feature.properties} />
      </details>
    </section>
  );
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
      `import json, urllib.request\nwith urllib.request.urlopen("${request}") as answer:\n    [feature] = json.load(answer)\nprint(json.dumps(feature, ensure_ascii=False, indent=2))`,
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
  const rows = Object.entries(properties).filter(
    ([, value]) => value !== null && value !== undefined && value !== '' && typeof value !== 'object',
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
