
// The data of each passage: parsed when the passage comes into view, kept as text until then.
const passages = [...document.querySelectorAll('script.passage')].map((data, number) => ({number, data}));
const partsOf = one => one.parts || (one.parts = JSON.parse(one.data.textContent));
const searchable = one => one.lower || (one.lower = one.data.textContent.toLowerCase());
const totals = JSON.parse(byId('totals').textContent);

function placeView(mark, name, place) {
  const field = place.field === undefined ? '' : `, ${typeof place.field === 'number' ? 'text ' : ''}${place.field}`;
  return element('div', 'member', element('span', `mark ${mark}`, place.against ? 'against' : name), ' ',
    element('span', 'name', place.id), element('span', 'soft', `${field}, byte ${place.offset.toLocaleString('en')}`));
}

function fill(view, {text, cut, first, again, places}) {
  const more = places > again.length ? [element('p', 'soft', counted(places - again.length, 'more place', 'more places'))] : [];
  view.append(element('p', 'passage-text', text, cut ? ' …' : ''), placeView('kept', 'first', first),
    ...again.map(place => placeView('dropped', 'again', place)), ...more);
}

function passageView(one) {
  const parts = partsOf(one);
  const view = element('details', 'group', element('summary', '', element('span', 'size', parts.length), ' ',
    element('span', 'size', counted(parts.documents, 'document', 'documents')), ' ',
    element('span', 'name', parts.text.slice(0, 120))));
  view.dataset.number = one.number;
  view.addEventListener('toggle', () => { if (view.open && !view.querySelector('.member')) fill(view, parts); });
  return view;
}

// Passages are added to the list some at a time, whenever its end comes into view.
const passagesAtOnce = 100;
let wanted = [], shown = 0;
function showMore() {
  const some = wanted.slice(shown, shown + passagesAtOnce);
  shown += some.length;
  byId('passages').append(...some.map(passageView));
}

const orders = {
  length: (a, b) => a.number - b.number,
  documents: (a, b) => partsOf(b).documents - partsOf(a).documents || a.number - b.number,
};
function update() {
  // The search is over the JSON text of a passage, so the words get the escapes of JSON.
  const words = byId('find').value.toLowerCase().split(/\s+/).map(word => JSON.stringify(word).slice(1, -1).replaceAll('<', '\\u003c'));
  wanted = passages.filter(one => words.every(word => !word || searchable(one).includes(word))).sort(orders[byId('sort').value]);
  const share = totals.bytes > 0 ? 100 * totals.repeated / totals.bytes : 0;
  byId('summary').textContent = `${counted(totals.passages, 'passage', 'passages')} at ` +
    `${counted(totals.places, 'further place', 'further places')}, with ${share.toFixed(1)} % of the text; the longest has ` +
    `${totals.longest.toLocaleString('en')} ${totals.unit}` +
    (wanted.length < totals.passages ? `; ${wanted.length.toLocaleString('en')} listed here` : '');
  byId('passages').replaceChildren();
  shown = 0;
  showMore();
}

byId('controls').addEventListener('input', update);
byId('controls').addEventListener('submit', event => event.preventDefault());
new IntersectionObserver(entries => { if (entries.some(entry => entry.isIntersecting) && shown < wanted.length) showMore(); },
  {rootMargin: '600px'}).observe(byId('end'));
update();
