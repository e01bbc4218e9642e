import { GraphQLID, GraphQLInterfaceType, GraphQLNonNull } from 'graphql';

export const Node = new GraphQLInterfaceType({
  name: 'Node',
  description: 'An object with an id, by which `node` and `nodes` find it.',
  fields: {
    id: { type: new GraphQLNonNull(GraphQLID), description: 'Id, stable as long as the data exists.' },
  },
});
