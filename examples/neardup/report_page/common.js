'use strict';
// Creates an element. Strings become text nodes, so texts and names are never read as HTML.
const element = (name, className, ...children) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
};
const byId = id => document.getElementById(id);
const counted = (count, one, many) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

// A table with the kept text on the left, and the dropped text on the right. A line end that both texts have ends a row.
function comparison(kept, member) {
  const table = element('table', 'difference', element('thead', '', element('tr', '',
    element('th', '', kept.id), element('th', '', member.id))));
  const body = element('tbody');
  let left = element('td', 'left'), right = element('td', 'right');
  const endRow = () => {
    if (!left.hasChildNodes() && !right.hasChildNodes()) return;
    body.append(element('tr', '', left, right));
    left = element('td', 'left');
    right = element('td', 'right');
  };
  const leftOut = bytes => element('span', 'soft', ` … ${counted(bytes, 'byte', 'bytes')} not shown … `);
  for (let i = 0; i < member.pieces.length; i += 2) {
    const what = member.pieces[i], text = member.pieces[i + 1];
    if (what === '=') {
      text.split('\n').forEach((line, number) => {
        if (number > 0) endRow();
        if (line) { left.append(line); right.append(line); }
      });
    } else if (what === '-') left.append(element('del', '', text));
    else if (what === '+') right.append(element('ins', '', text));
    else {
      if (what !== 'r') left.append(leftOut(text));
      if (what !== 'l') right.append(leftOut(text));
    }
  }
  endRow();
  table.append(body);
  return table;
}
