/* Starts GraphiQL on this address, one tab for each example query; the schema's documentation is open beside them. */
const { React, ReactDOM, GraphiQL } = window;
const examples = JSON.parse(document.getElementById('examples').textContent);

/* Of its own accord GraphiQL fills in the variables of later tabs only; what somebody left open comes before both. */
const isFirstVisit = window.localStorage.getItem('graphiql:tabState') === null;

ReactDOM.createRoot(document.getElementById('graphiql')).render(
  React.createElement(GraphiQL, {
    fetcher: GraphiQL.createFetcher({ url: window.location.pathname }),
    defaultTabs: examples,
    ...(isFirstVisit ? { variables: examples[0].variables } : {}),
    visiblePlugin: 'Documentation Explorer',
    defaultEditorToolsVisibility: 'variables',
  }),
);
