/** Whether the caret stands in the first or the last line as it is shown, with lines that wrap. */
export function isOnEdgeLine(field: HTMLTextAreaElement, edge: 'first' | 'last'): boolean {
  const { value, selectionStart, selectionEnd, parentElement } = field;
  if (selectionStart !== selectionEnd || parentElement === null) return false;
  if (value === '') return true;
  const mirror = document.createElement('div');
  mirror.className = 'caret-mirror';
  mirror.style.width = `${field.clientWidth}px`;
  parentElement.append(mirror);
  const heightOf = (text: string): number => {
    mirror.textContent = `${text}\u200b`;
    return mirror.offsetHeight;
  };
  const upToCaret = heightOf(value.slice(0, selectionStart));
  const isThere = edge === 'first' ? upToCaret <= heightOf('') : upToCaret >= heightOf(value);
  mirror.remove();
  return isThere;
}
