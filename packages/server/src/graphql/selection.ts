/** What a query asks of objects, read once for each type of object and not once for each object. */
import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  Kind,
  locatedError,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
} from 'graphql';

/** One field of the answer's objects of one type. */
export interface AskedField {
  /** Name in the answer: the alias, else the field's own. */
  readonly key: string;
  /** The name as JSON, with the colon behind it. */
  readonly label: string;
  /** Where the query asks for it. */
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  readonly field: GraphQLField<unknown, unknown>;
  readonly parentType: GraphQLObjectType;
  readonly isLeaf: boolean;
  /** Values of the arguments, or what is wrong with them. */
  readonly args: Record<string, unknown> | GraphQLError;
  /** As much as the resolvers of this schema and those of introspection look at. */
  readonly info: GraphQLResolveInfo;
  /** What is asked of the objects in this field, by their type; filled when the first of a type comes. */
  readonly inner: Map<GraphQLObjectType, readonly AskedField[]>;
}

export interface SelectionOptions {
  schema: GraphQLSchema;
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** Coerced values of the variables. */
  variables: Record<string, unknown>;
  /** Throws a GraphQLError for arguments that are too long. */
  checkArguments(args: Record<string, unknown>): void;
}

export class Selections {
  readonly #options: SelectionOptions;

  constructor(options: SelectionOptions) {
    this.#options = options;
  }

  /**
   * Fields that selections ask of objects of a type, in order, those of the same key merged (GraphQL, section 6.3.2).
   */
  of(type: GraphQLObjectType, selections: readonly (SelectionSetNode | undefined)[]): AskedField[] {
    const groups = new Map<string, [FieldNode, ...FieldNode[]]>();
    const seen = new Set<string>();
    for (const selection of selections) this.#collect(type, selection, groups, seen);
    const fields: AskedField[] = [];
    for (const [key, nodes] of groups) {
      const field = this.#fieldOf(type, nodes[0].name.value);
      // Validation has refused fields that there are not.
      if (field === undefined) continue;
      fields.push(this.#asked(type, key, nodes, field));
    }
    return fields;
  }

  /** What a field asks of objects of a type that it holds. */
  within(field: AskedField, type: GraphQLObjectType): readonly AskedField[] {
    let inner = field.inner.get(type);
    if (inner === undefined) {
      inner = this.of(
        type,
        field.nodes.map((node) => node.selectionSet),
      );
      field.inner.set(type, inner);
    }
    return inner;
  }

  #collect(
    type: GraphQLObjectType,
    selection: SelectionSetNode | undefined,
    groups: Map<string, [FieldNode, ...FieldNode[]]>,
    seen: Set<string>,
  ): void {
    const { schema, fragments, variables } = this.#options;
    for (const node of selection?.selections ?? []) {
      if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) continue;
      if (getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if === false) continue;
      if (node.kind === Kind.FIELD) {
        const key = node.alias?.value ?? node.name.value;
        const group = groups.get(key);
        if (group === undefined) groups.set(key, [node]);
        else group.push(node);
        continue;
      }
      let part: FragmentDefinitionNode | typeof node = node;
      if (node.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = fragments.get(node.name.value);
        if (fragment === undefined || seen.has(node.name.value)) continue;
        seen.add(node.name.value);
        part = fragment;
      }
      if ('selectionSet' in part && applies(schema, part.typeCondition?.name.value, type)) {
        this.#collect(type, part.selectionSet, groups, seen);
      }
    }
  }

  #fieldOf(type: GraphQLObjectType, name: string): GraphQLField<unknown, unknown> | undefined {
    if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef;
    if (type === this.#options.schema.getQueryType()) {
      if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef;
      if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef;
    }
    return type.getFields()[name];
  }

  #asked(
    parentType: GraphQLObjectType,
    key: string,
    nodes: readonly [FieldNode, ...FieldNode[]],
    field: GraphQLField<unknown, unknown>,
  ): AskedField {
    const { schema, variables, checkArguments } = this.#options;
    let args: AskedField['args'];
    try {
      args = getArgumentValues(field, nodes[0], variables);
      checkArguments(args);
    } catch (error) {
      args = locatedError(error, nodes);
    }
    return {
      key,
      label: `${JSON.stringify(key)}:`,
      nodes,
      field,
      parentType,
      isLeaf: isLeafType(getNamedType(field.type)),
      args,
      info: { schema, parentType, fieldName: field.name, fieldNodes: nodes } as unknown as GraphQLResolveInfo,
      inner: new Map(),
    };
  }
}

function applies(schema: GraphQLSchema, condition: string | undefined, type: GraphQLObjectType): boolean {
  if (condition === undefined || condition === type.name) return true;
  const conditionType = schema.getType(condition);
  return isAbstractType(conditionType) && schema.isSubType(conditionType, type);
}

/** The type of an object in a field of that type; throws for an object that cannot stand there. */
export function typeOf(value: unknown, { field, info }: AskedField): GraphQLObjectType {
  const declared = getNamedType(field.type);
  if (isObjectType(declared)) return declared;
  const name = (value as { __typename?: unknown }).__typename;
  const type = typeof name === 'string' ? info.schema.getType(name) : undefined;
  if (!isObjectType(type) || !isAbstractType(declared) || !info.schema.isSubType(declared, type)) {
    throw new Error(`${info.parentType.name}.${field.name} has an object of type ${String(name)}.`);
  }
  return type;
}
