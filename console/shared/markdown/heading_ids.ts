/** A node of the tree of HTML elements that a Markdown text becomes. */
interface TreeNode {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, unknown>;
  children?: TreeNode[];
}

const textOf = ({ value = '', children = [] }: TreeNode): string => value + children.map(textOf).join('');

/** Returns the anchor of a heading by the rule of GitHub, which the links of the documentation follow. */
export const anchorOf = (title: string): string =>
  title.toLowerCase().replaceAll(/[^\p{L}\p{N}_\- ]/gu, '').replaceAll(' ', '-');

/** Gives each heading of a Markdown text an id. A repeated heading gets a number behind its id. */
export function headingIds() {
  return (tree: TreeNode): void => {
    const seen = new Map<string, number>();
    const visit = (node: TreeNode) => {
      if (/^h[1-6]$/.test(node.tagName ?? '')) {
        const anchor = anchorOf(textOf(node));
        const count = seen.get(anchor) ?? 0;
        seen.set(anchor, count + 1);
        node.properties = { ...node.properties, id: count === 0 ? anchor : `${anchor}-${count}` };
      }
      node.children?.forEach(visit);
    };
    visit(tree);
  };
}
