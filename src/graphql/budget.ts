/**
 * Counts the fields of an answer before they are made. An estimate from the text alone would have to guess how many
 * datasets a place has; here every list is charged when its length is known and nothing of it is resolved yet.
 */
import { type FieldNode, type GraphQLResolveInfo, Kind, type SelectionSetNode } from 'graphql';
import { overLimit } from './limits.ts';

export class Budget {
  readonly #max: number;
  #spent = 0;
  /** Fields that one object of a selection has, by the selection. */
  readonly #widths = new Map<readonly FieldNode[], number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Fields of the answer so far. */
  get spent(): number {
    return this.#spent;
  }

  /** Charges `count` objects with the fields that are asked of each. Throws a GraphQLError when that is too much. */
  charge(count: number, info: GraphQLResolveInfo): void {
    let width = this.#widths.get(info.fieldNodes);
    if (width === undefined) {
      width = 1;
      const seen = new Set<string>();
      for (const node of info.fieldNodes) width += widthOf(node.selectionSet, info, seen);
      this.#widths.set(info.fieldNodes, width);
    }
    this.#spent += count * width;
    if (this.#spent > this.#max) {
      throw overLimit(
        `The answer would have more than ${this.#max} fields, which is the most that is accepted; ask for fewer fields or areas at once.`,
      );
    }
  }
}

/** A fragment counts once, however often it is spread, as in execution. */
function widthOf(set: SelectionSetNode | undefined, info: GraphQLResolveInfo, seen: Set<string>): number {
  let width = 0;
  for (const selection of set?.selections ?? []) {
    if (selection.kind === Kind.FIELD) width += 1;
    else if (selection.kind === Kind.INLINE_FRAGMENT) width += widthOf(selection.selectionSet, info, seen);
    else if (!seen.has(selection.name.value)) {
      seen.add(selection.name.value);
      width += widthOf(info.fragments[selection.name.value]?.selectionSet, info, seen);
    }
  }
  return width;
}
