
const audit = JSON.parse(byId('decisions').textContent);
const verdicts = audit.decisions.map(() => '');

// The share of wrong decisions, with the 95 % interval of Wilson.
function shareOf(wrong, read) {
  const z = 1.96, share = wrong / read, bottom = 1 + z * z / read;
  const middle = (share + z * z / (2 * read)) / bottom;
  const half = z * Math.sqrt(share * (1 - share) / read + z * z / (4 * read * read)) / bottom;
  const percent = value => (100 * Math.min(1, Math.max(0, value))).toFixed(0);
  return `${percent(share)} % (95 %: ${percent(middle - half)} to ${percent(middle + half)} %)`;
}

function count() {
  const text = dropped => {
    const own = verdicts.filter((verdict, i) => verdict && audit.decisions[i].dropped === dropped);
    const wrong = own.filter(verdict => verdict === 'wrong').length;
    const what = dropped ? 'dropped' : 'nearly dropped';
    return own.length === 0 ? `${what}: none judged yet` : `${what}: ${own.length} judged, ${wrong} wrong, ${shareOf(wrong, own.length)}`;
  };
  byId('verdicts').textContent = `${text(true)}; ${text(false)}`;
}

// A run by features compares no fingerprints and has no distance.
const apart = decision => (decision.distance === undefined ? '' : `${counted(decision.distance, 'bit', 'bits')} apart, `);

// The judged decisions as JSON Lines, as `neardup advise --labels` reads them: are the two documents the same?
const labels = () => audit.decisions.map((decision, i) => (verdicts[i] === '' ? '' :
  `${JSON.stringify({a: decision.id, b: decision.other, same: decision.dropped === (verdicts[i] === 'right')})}\n`)).join('');

function save() {
  const link = element('a', '');
  link.href = URL.createObjectURL(new Blob([labels()], {type: 'application/jsonl'}));
  link.download = 'labels.jsonl';
  link.click();
  URL.revokeObjectURL(link.href);
}

function decisionView(decision, number) {
  const mark = element('span', decision.dropped ? 'mark dropped' : 'mark kept', decision.dropped ? 'dropped' : 'kept');
  const buttons = ['right', 'wrong'].map(verdict => {
    const box = element('input', '');
    box.type = 'radio';
    box.name = `decision-${number}`;
    box.addEventListener('change', () => { verdicts[number] = verdict; count(); });
    return element('label', 'verdict', box, ` ${verdict}`);
  });
  const heading = element('p', '', `${number + 1}. `, mark, ' ', element('span', 'similarity', decision.similarity), ' ',
    element('span', 'name', decision.id),
    element('span', 'soft', `  ${apart(decision)}beside ${decision.other}`), ' ', ...buttons);
  const view = element('section', 'decision', heading);
  if (decision.pieces.length > 0) view.append(comparison({id: decision.other}, decision));
  else view.append(element('p', 'soft', 'The kept document is in an index, which has no texts, so no difference can be shown.'));
  return view;
}

const droppedCount = audit.decisions.filter(decision => decision.dropped).length;
byId('summary').textContent = `Of ${counted(audit.documents, 'document', 'documents')} this page shows ` +
  `${counted(audit.decisions.length, 'decision', 'decisions')}, chosen at random with seed ${audit.seed}. ` +
  `Dropped documents (${droppedCount}) are on the right, with the kept document that represents them on the left. ` +
  `Kept documents (${audit.decisions.length - droppedCount}) are on the right, with another kept document on the left that is almost similar enough. ` +
  `Two documents are near-duplicates if ${audit.limit}.`;
byId('save').addEventListener('click', save);
byId('list').append(...audit.decisions.map(decisionView));
count();
