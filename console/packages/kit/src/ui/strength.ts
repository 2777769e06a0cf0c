/** How hard a password is to guess, told pessimistically: whoever guesses knows words, years and keyboard rows. */

export const LEAST_PASSWORD = 10;

export type Strength = "short" | "weak" | "fair" | "strong";

const FAIR_BITS = 36;
const STRONG_BITS = 50;
const LETTER_BITS = 4.7;
const DIGIT_BITS = 3.3;
const SIGN_BITS = 5;
/** One or two letters between other signs are no word. */
const STRAY_LETTER_BITS = 5.2;
/** A run of letters is likely a word, and a run of digits a year or a date: longer does not help much. */
const WORD_BITS = 14;
const NUMBER_BITS = 10;
const ROWS = ["abcdefghijklmnopqrstuvwxyz", "qwertyuiop", "asdfghjkl", "zxcvbnm", "azertyuiop", "01234567890"];
const COMMON = new Set(["password", "passw", "wachtwoord", "contrasena", "lykilord", "welcome", "letmein", "admin", "guildhall", "iloveyou", "secret"]);

export function strengthOf(password: string, username = ""): Strength {
  if (password.length < LEAST_PASSWORD) return "short";
  const bits = guessBits(password, username);
  if (bits >= STRONG_BITS) return "strong";
  return bits >= FAIR_BITS ? "fair" : "weak";
}

/** About how many bits a guesser has to find, who tries what people choose first. */
export function guessBits(password: string, username = ""): number {
  const plain = password.normalize("NFKC").toLowerCase();
  if (new Set(plain).size <= 2) return 0;
  const own = username.normalize("NFKC").toLowerCase();
  const runs = (own ? plain.replaceAll(own, "") : plain).match(/\p{L}+|\d+|[^\p{L}\d]/gu) ?? [];
  const seen = new Set<string>();
  let bits = 0;
  for (const run of runs) {
    // What comes again costs nothing to guess.
    bits += seen.has(run) ? 0.5 : bitsOf(run);
    seen.add(run);
  }
  return bits;
}

function bitsOf(run: string): number {
  if (COMMON.has(run) || isRow(run)) return 3;
  const distinct = new Set(run).size;
  if (/^\p{L}/u.test(run)) return run.length <= 2 ? distinct * STRAY_LETTER_BITS : Math.min(WORD_BITS, distinct * LETTER_BITS);
  if (/^\d/.test(run)) return Math.min(NUMBER_BITS, distinct * DIGIT_BITS);
  return SIGN_BITS;
}

/** Whether these are neighbours on the keyboard or in the alphabet, either way. */
function isRow(run: string): boolean {
  if (run.length < 3) return false;
  const backwards = [...run].reverse().join("");
  return ROWS.some((row) => row.includes(run) || row.includes(backwards));
}
