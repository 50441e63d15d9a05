// The data of each group: parsed when the group comes into view, kept as text until then.
const groups = [...document.querySelectorAll('script.group')].map((data, number) => ({
  number, size: Number(data.dataset.size), least: Number(data.dataset.least), shownLeast: data.dataset.least, data,
}));
const membersOf = group => group.members || (group.members = JSON.parse(group.data.textContent));
const searchable = group => group.lower ||
  (group.lower = group.data.textContent.replace(/,"picture":"[^"]*"/g, '').toLowerCase());

// The end of the summary: how many groups and documents are not on the page, if --most left out the smaller groups.
const leftOutData = document.getElementById('left-out');
const leftOut = leftOutData ? (({groups: g, documents: d}) =>
  `; ${counted(g, 'smaller group', 'smaller groups')} of ${counted(d, 'document', 'documents')} left out`)(JSON.parse(leftOutData.textContent)) : '';

// The picture of a member, if its code has one.
function pictureOf(member) {
  if (!member.picture) return [];
  const picture = element('img', 'picture');
  picture.src = member.picture;
  picture.alt = member.id;
  return [picture];
}

function memberView(kept, member) {
  const line = [element('span', 'mark dropped', 'dropped'), ' ', element('span', 'similarity', member.similarity), ' ',
    element('span', 'name', member.id)];
  // A run by features compares no fingerprints and has no distance.
  if (member.distance !== undefined) line.push(element('span', 'soft', `  ${counted(member.distance, 'bit', 'bits')} apart`));
  if (!member.pieces) return element('div', 'member', ...line, ...pictureOf(member));
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
    element('span', 'name', kept.id), ...pictureOf(kept)));
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

// The similarity of the members of a group to the kept document. If the similarities may differ, '≥' and the least one.
const similarityOf = group => (group.size === 2 || group.least === 1 ? group.shownLeast : `≥ ${group.shownLeast}`);

function groupView(group) {
  const view = element('details', 'group', element('summary', '',
    element('span', 'size', counted(group.size, 'document', 'documents')), ' ',
    element('span', 'similarity', similarityOf(group)), ' ', element('span', 'name', membersOf(group)[0].id)));
  view.dataset.number = group.number;
  view.addEventListener('toggle', () => { if (view.open && !view.querySelector('.member')) fill(view, group); });
  return view;
}

// Groups are added to the list some at a time, whenever its end comes into view.
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
  // The search is over the JSON text of a group, so the words get the escapes of JSON.
  const words = byId('find').value.toLowerCase().split(/\s+/).map(word => JSON.stringify(word).slice(1, -1).replaceAll('<', '\\u003c'));
  const least = Number(byId('least-size').value) || 0;
  const from = Number(byId('from').value) || 0, to = byId('to').value === '' ? 1 : Number(byId('to').value);
  wanted = groups.filter(group => group.size >= least && group.least >= from && group.least <= to &&
    words.every(word => !word || searchable(group).includes(word))).sort(orders[byId('sort').value]);
  const documents = wanted.reduce((sum, group) => sum + group.size, 0);
  const of = wanted.length === groups.length ? '' : ` of ${groups.length.toLocaleString('en')}`;
  byId('summary').textContent = `${counted(wanted.length, 'group', 'groups')}${of}, ` +
    `${counted(documents, 'document', 'documents')}, ${(documents - wanted.length).toLocaleString('en')} of them to drop` +
    leftOut;
  byId('groups').replaceChildren();
  shown = 0;
  showMore();
}

// The table of --by: counts of each source, and a sample of its largest groups.
function showSources(data) {
  const {by, count, warnings, sources} = JSON.parse(data.textContent);
  const number = (text, ...more) => element('td', 'number', text, ...more);
  const rows = sources.map(source => {
    const share = source.in > 0 ? source.dropped / source.in : 0;
    const bar = element('span', 'loss');
    bar.style.width = `${100 * share}%`;
    const samples = source.groups.map(group => element('div', 'sample',
      element('span', 'similarity', group.dropped.toLocaleString('en')), ' ', element('span', 'name', group.id),
      element('span', 'soft', ` ${group.text}`)));
    return element('tr', '', element('td', 'name', source.name), number(source.in.toLocaleString('en')),
      number((source.in - source.dropped).toLocaleString('en')),
      number(`${source.dropped.toLocaleString('en')}, ${(100 * share).toFixed(1)} %`, bar), element('td', '', ...samples));
  });
  const heads = [['source', by], ['number', 'documents'], ['number', 'kept'], ['number', 'dropped'],
    ['', 'most of it goes to the groups of']].map(([className, text]) => element('th', className, text));
  const more = count > sources.length ? [element('p', 'soft', `${counted(count - sources.length, 'more source', 'more sources')}`)] : [];
  const view = byId('by-source');
  view.append(...warnings.map(text => element('p', 'warning', text)),
    element('table', '', element('thead', '', element('tr', '', ...heads)), element('tbody', '', ...rows)), ...more);
  view.hidden = false;
}
if (byId('sources')) showSources(byId('sources'));

byId('controls').addEventListener('input', update);
byId('controls').addEventListener('submit', event => event.preventDefault());
new IntersectionObserver(entries => { if (entries.some(entry => entry.isIntersecting) && shown < wanted.length) showMore(); },
  {rootMargin: '600px'}).observe(byId('end'));
update();
