import { GraphQLError, GraphQLScalarType, Kind, valueFromASTUntyped } from 'graphql';

/** Codes are strings; numbers are understood where somebody lost the quotes, and the zeros at the front with them. */
export const AreaCode = new GraphQLScalarType<string, string>({
  name: 'AreaCode',
  description:
    'Code of an area: 2 digits of a prefecture (`13`), or 5 of a municipality or a ward (`13101`; JIS X 0402 ' +
    'without its check digit).',
  specifiedByURL: null,
  serialize: String,
  parseValue: readCode,
  parseLiteral(node) {
    if (node.kind === Kind.STRING) return readCode(node.value);
    if (node.kind === Kind.INT) return readCode(Number(node.value));
    throw new GraphQLError('An area code is a string such as "13" or "13101".', { nodes: node });
  },
});

function readCode(value: unknown): string {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) {
    return String(value).padStart(value < 100 ? 2 : 5, '0');
  }
  if (typeof value === 'string') return value.trim();
  throw new GraphQLError(`An area code is a string such as "13" or "13101", not ${JSON.stringify(value)}.`);
}

export const Any = new GraphQLScalarType({
  name: 'Any',
  description: 'Any JSON value.',
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
});
