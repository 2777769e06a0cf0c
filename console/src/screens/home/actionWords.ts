/** An action of the audit trail, `noun.verb`, as words: the trail's own names, not another wording of them. */
export function actionWords(action: string): string {
  const words = action.replaceAll("_", " ").split(".").join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
