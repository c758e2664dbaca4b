import "react-json-view-lite/dist/index.css"
import { collapseAllNested, defaultStyles, JsonView } from "react-json-view-lite"

const styles = {
  ...defaultStyles,
  container: "overflow-x-auto rounded-md border bg-raised p-2 font-mono text-xs break-words whitespace-pre-wrap",
  // Theirs are black in dark windows, too. They hang to the left, so that brackets and names begin in one line.
  collapseIcon: `${defaultStyles.collapseIcon} -ml-3 !mr-0 inline-block w-3 !text-muted`,
  expandIcon: `${defaultStyles.expandIcon} -ml-3 !mr-0 inline-block w-3 !text-muted`,
  childFieldsContainer: "pl-2",
  collapsedContent: `${defaultStyles.collapsedContent} !text-muted`,
  label: "mr-1 font-medium",
  clickableLabel: "mr-1 font-medium cursor-pointer",
  stringValue: "text-good",
  numberValue: "text-accent",
  booleanValue: "text-wait",
  nullValue: "text-muted",
  undefinedValue: "text-muted",
  otherValue: "text-text",
  punctuation: "text-muted"
}

const JsonTree = ({ value }: { readonly value: object }) => (
  <JsonView data={value} style={styles} shouldExpandNode={collapseAllNested} clickToExpandNode aria-label="JSON" />
)

export default JsonTree
