'use strict';
// Texts and names come in as text only, never as HTML.
const element = (name, className, ...children) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
};
const byId = id => document.getElementById(id);
const counted = (count, one, many) => `${count.toLocaleString('en')} ${count === 1 ? one : many}`;

// The data of each group: parsed when the group comes into view, kept as text until then.
const groups = [...document.querySelectorAll('script.group')].map((data, number) => ({
  number, size: Number(data.dataset.size), least: Number(data.dataset.least), shownLeast: data.dataset.least, data,
}));
const membersOf = group => group.members || (group.members = JSON.parse(group.data.textContent));
const searchable = group => group.lower || (group.lower = group.data.textContent.toLowerCase());

// Left what is kept, right what is dropped; a row ends with each line that both have.
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

function memberView(kept, member) {
  const line = [element('span', 'mark dropped', 'dropped'), ' ', element('span', 'similarity', member.similarity), ' ',
    element('span', 'name', member.id), element('span', 'soft', `  ${counted(member.distance, 'bit', 'bits')} apart`)];
  if (!member.pieces) return element('div', 'member', ...line);
  if (!member.pieces.some((what, i) => i % 2 === 0 && '-+lr'.includes(what))) {
    return element('div', 'member', ...line, element('span', 'soft', ', the same text'));
  }
  const view = element('details', 'member', element('summary', '', ...line));
  view.addEventListener('toggle', () => { if (view.open && !view.querySelector('table')) view.append(comparison(kept, member)); });
  return view;
}

const membersAtOnce = 100;
function fill(view, group) {
  const [kept, ...others] = membersOf(group);
  view.append(element('div', 'member', element('span', 'mark kept', kept.against ? 'against' : 'kept'), ' ',
    element('span', 'name', kept.id)));
  let next = 0;
  const more = element('button', '', 'more');
  more.type = 'button';
  more.addEventListener('click', () => {
    const some = others.slice(next, next + membersAtOnce).map(member => memberView(kept, member));
    next += some.length;
    more.before(...some);
    more.hidden = next >= others.length;
  });
  view.append(more);
  more.click();
  const first = view.querySelector('details.member');
  if (first) first.open = true;
}

function groupView(group) {
  const view = element('details', 'group', element('summary', '',
    element('span', 'size', counted(group.size, 'document', 'documents')), ' ',
    element('span', 'similarity', `≥ ${group.shownLeast}`), ' ', element('span', 'name', membersOf(group)[0].id)));
  view.dataset.number = group.number;
  view.addEventListener('toggle', () => { if (view.open && !view.querySelector('.member')) fill(view, group); });
  return view;
}

// Groups are shown some at a time, further ones as the end of the list comes into view.
const groupsAtOnce = 100;
let wanted = [], shown = 0;
function showMore() {
  const some = wanted.slice(shown, shown + groupsAtOnce);
  shown += some.length;
  byId('groups').append(...some.map(groupView));
}

const orders = {
  input: (a, b) => a.number - b.number,
  size: (a, b) => b.size - a.size || a.number - b.number,
  similarity: (a, b) => a.least - b.least || a.number - b.number,
};
function update() {
  // As they stand in the data: with the escapes of JSON.
  const words = byId('find').value.toLowerCase().split(/\s+/).map(word => JSON.stringify(word).slice(1, -1).replaceAll('<', '\\u003c'));
  const least = Number(byId('least-size').value) || 0;
  const from = Number(byId('from').value) || 0, to = byId('to').value === '' ? 1 : Number(byId('to').value);
  wanted = groups.filter(group => group.size >= least && group.least >= from && group.least <= to &&
    words.every(word => !word || searchable(group).includes(word))).sort(orders[byId('sort').value]);
  const documents = wanted.reduce((sum, group) => sum + group.size, 0);
  const of = wanted.length === groups.length ? '' : ` of ${groups.length.toLocaleString('en')}`;
  byId('summary').textContent = `${counted(wanted.length, 'group', 'groups')}${of}, ` +
    `${counted(documents, 'document', 'documents')}, ${(documents - wanted.length).toLocaleString('en')} of them to drop`;
  byId('groups').replaceChildren();
  shown = 0;
  showMore();
}

byId('controls').addEventListener('input', update);
byId('controls').addEventListener('submit', event => event.preventDefault());
new IntersectionObserver(entries => { if (entries.some(entry => entry.isIntersecting) && shown < wanted.length) showMore(); },
  {rootMargin: '600px'}).observe(byId('end'));
update();
