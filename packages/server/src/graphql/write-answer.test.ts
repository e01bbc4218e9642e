/** Executes random queries beside the library's own execution, over a catalogue of the tests. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { Slices } from '@citymodel/base';
import fc from 'fast-check';
import {
  execute,
  GraphQLBoolean,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  GraphQLString,
  getNamedType,
  getVariableValues,
  isAbstractType,
  isInputObjectType,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  validate,
} from 'graphql';
import { RequestBudget } from '../base/request-budget.ts';
import { textOf } from '../base/testing/text-of.ts';
import { cityPackage, tilePackage } from '../catalogue/testing/snapshot-rows.ts';
import { AnswerText } from './answer-text.ts';
import { Selections } from './selection.ts';
import { asking } from './testing/ask.ts';
import { AnswerWriter } from './write-answer.ts';

const catalogue = await asking([
  cityPackage(),
  tilePackage(),
  tilePackage({ type: 'tran', format: 'MVT' }),
  tilePackage({}, { cityCode: '14201', year: 2022 }),
]);

const AMPLE = { items: 1e9, bytesHeld: 1e9, bytesRead: 0 };

async function written(schema: GraphQLSchema, query: string, options: Partial<{ limit: number }> = {}) {
  const document = parse(query);
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)!;
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], {});
  const fragments = new Map(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
    ),
  );
  const selections = new Selections({
    schema,
    fragments,
    variables: coerced ?? {},
    checkArguments: () => {},
  });
  const budget = new RequestBudget(AMPLE, 'Ask for less.');
  const text = new AnswerText();
  const context = { graph: catalogue.graph, budget };
  const slices = new Slices(async () => {}, options.limit ?? 4);
  const writer = new AnswerWriter({ selections, text, budget, slices, context });
  await writer.write(selections.of(schema.getQueryType()!, [operation.selectionSet]));
  const data = JSON.parse(await textOf(await text.finish()));
  const errors = writer.errors.map((error) => error.toJSON());
  return errors.length === 0 ? { data } : { errors, data };
}

function expected(schema: GraphQLSchema, query: string): unknown {
  const contextValue = { graph: catalogue.graph, budget: new RequestBudget(AMPLE, 'Ask for less.') };
  return JSON.parse(JSON.stringify(execute({ schema, document: parse(query), contextValue })));
}

/** A selection of at most `depth` levels on a type, out of a list of random numbers. */
function selectionOn(
  schema: GraphQLSchema,
  type: GraphQLOutputType,
  depth: number,
  next: () => number,
): string {
  const named = getNamedType(type);
  if (!isObjectType(named) && !isInterfaceType(named)) return '';
  const parts: string[] = [];
  const fields = Object.values(named.getFields());
  for (let n = 1 + (next() % 4); n > 0; n--) {
    const field = fields[next() % fields.length]!;
    const needed = field.args.filter((arg) => isNonNullType(arg.type)).map(({ name }) => NEEDED[name]);
    const optional = field.args.some((arg) => isInputObjectType(arg.type));
    if (needed.includes(undefined)) continue;
    const args = needed.length > 0 ? `(${needed})` : optional && next() % 3 === 0 ? '(input:{})' : '';
    const inner = selectionOn(schema, field.type, depth - 1, next);
    if (inner === '' && (isObjectType(getNamedType(field.type)) || isAbstractType(getNamedType(field.type))))
      continue;
    const directive = ['', '', '', '@skip(if:true)', '@include(if:false)', '@skip(if:$no)'][next() % 6]!;
    parts.push(`${next() % 3 === 0 ? `a${next() % 3}:` : ''}${field.name}${args}${directive}${inner}`);
  }
  if (next() % 3 === 0) parts.push('__typename');
  if (isAbstractType(named) && depth > 0) {
    const types = schema.getPossibleTypes(named);
    const one = types[next() % types.length]!;
    const inner = selectionOn(schema, one, depth - 1, next);
    if (inner !== '') parts.push(`...on ${one.name}${inner}`);
  }
  if (depth <= 0) return parts.some((part) => part === '__typename') ? '{__typename}' : '';
  return parts.length === 0 ? '' : `{${parts.join(' ')}}`;
}

const NEEDED: Record<string, string> = {
  id: 'id:"c_13101"',
  ids: 'ids:["p_13","?","d_13101_bldg_2023"]',
  code: 'code:"13101"',
  lng: 'lng:139.75',
  lat: 'lat:35.7',
  name: 'name:"Query"',
};

test('answers are those of the library', async () => {
  const { schema } = catalogue.executor;
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat(1_000)), fc.constantFrom(0, 4), async (numbers, limit) => {
      const next = () => numbers.next().value;
      const selection = selectionOn(schema, schema.getQueryType()!, 6, next);
      if (selection === '') return;
      const query = `query($no:Boolean=false)${selection}`;
      if (validate(schema, parse(query)).length > 0) return;
      compared++;
      assert.deepEqual(await written(schema, query, { limit }), expected(schema, query), query);
    }),
    { numRuns: 1_500 },
  );
  assert.ok(compared > 300, `${compared} queries`);
});

test('introspection is that of the library', async () => {
  const { schema } = catalogue.executor;
  const query =
    '{__schema{types{kind name fields(includeDeprecated:true){name args{name type{...T} defaultValue} type{...T}} ' +
    'inputFields{name} enumValues{name} possibleTypes{name}} directives{name locations}} ' +
    '__type(name:"City"){name}} fragment T on __Type{kind name ofType{kind name ofType{kind name}}}';
  assert.deepEqual(await written(schema, query), expected(schema, query));
});

/** Fields that fail in every way, at every place. */
const Broken: GraphQLObjectType = new GraphQLObjectType({
  name: 'Broken',
  fields: () => ({
    fine: { type: GraphQLString, resolve: () => 'fine "text"\n' },
    thrown: {
      type: GraphQLString,
      resolve() {
        throw new Error('thrown');
      },
    },
    missing: { type: new GraphQLNonNull(GraphQLString), resolve: () => null },
    wrong: { type: GraphQLInt, resolve: () => 'x' },
    flag: { type: GraphQLBoolean, resolve: () => true },
    holes: { type: new GraphQLList(new GraphQLNonNull(GraphQLInt)), resolve: () => [1, null, 3] },
    numbers: { type: new GraphQLList(GraphQLInt), resolve: () => new Set([1, 'x', 3]) },
    one: { type: Broken, resolve: () => ({}) },
    must: { type: new GraphQLNonNull(Broken), resolve: () => ({}) },
    some: { type: new GraphQLList(Broken), resolve: () => [{}, null, {}] },
    all: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(Broken))),
      resolve: () => [{}, {}],
    },
  }),
});
const broken = new GraphQLSchema({ query: Broken });

test('errors make null what the library makes null, and say where', async () => {
  for (const query of [
    '{fine thrown wrong flag}',
    '{missing}',
    '{fine one{fine missing}}',
    '{one{must{must{missing}} fine} flag}',
    '{must{missing}}',
    '{holes numbers fine}',
    '{some{fine missing}}',
    '{one{all{fine must{thrown}}} some{all{missing}}}',
    '{a:one{a:thrown} b:one{b:thrown} a:one{fine}}',
    'query{fine @skip(if:true) ...F ...F} fragment F on Broken{fine flag one{...G}} fragment G on Broken{wrong}',
  ]) {
    for (const limit of [0, 100]) {
      const { errors, data } = (await written(broken, query, { limit })) as ReturnType<typeof JSON.parse>;
      const wanted = expected(broken, query) as ReturnType<typeof JSON.parse>;
      assert.deepEqual(data, wanted.data, query);
      assert.deepEqual(JSON.parse(JSON.stringify(errors ?? [])), wanted.errors ?? [], query);
    }
  }
});

test('of many errors the first fifty are listed', async () => {
  for (const count of [50, 51, 200]) {
    const names = Array.from({ length: count }, (_, n) => `a${n}`);
    const query = `{${names.map((name) => `${name}:thrown`).join(' ')}}`;
    const { errors, data } = (await written(broken, query)) as ReturnType<typeof JSON.parse>;
    assert.deepEqual(
      errors.map(({ path }: { path: string[] }) => path[0]),
      names.slice(0, 50),
    );
    assert.deepEqual(data, Object.fromEntries(names.map((name) => [name, null])));
  }
});

test('a long answer is compressed while it is written, and is the same', async () => {
  const { executor, graph } = catalogue;
  const aliases = Array.from({ length: 400 }, (_, i) => `a${i}:datasets{id description}`).join(' ');
  const { document } = await executor.answer(graph, { query: `{${aliases}}` });
  const again = await executor.answer(graph, { query: `{${aliases}}` });
  assert.equal(again.kept, true);
  assert.equal(document.etag, again.document.etag);
  const { data } = JSON.parse(await textOf(document));
  assert.deepEqual(Object.keys(data).length, 400);
  assert.deepEqual(data.a399, data.a0);
});

test('the work ends when the caller goes away', async () => {
  const { executor, graph } = catalogue;
  const aliases = Array.from({ length: 500 }, (_, i) => `a${i}:datasets{id description}`).join(' ');
  const gone = AbortSignal.abort(new Error('the caller went away'));
  await assert.rejects(executor.answer(graph, { query: `{${aliases} }` }, gone), /went away/);
});
