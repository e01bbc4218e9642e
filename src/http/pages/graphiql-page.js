/* Starts GraphiQL on this address, one tab for each example query; the schema's documentation is open beside them. */
const { React, ReactDOM, GraphiQL } = window;
const examples = JSON.parse(document.getElementById('examples').textContent);

ReactDOM.createRoot(document.getElementById('graphiql')).render(
  React.createElement(GraphiQL, {
    fetcher: GraphiQL.createFetcher({ url: window.location.pathname }),
    defaultTabs: examples,
    visiblePlugin: 'Documentation Explorer',
    defaultEditorToolsVisibility: 'variables',
  }),
);
