/** Counts the words of a text by a row of this plugin, in the language and the colours of the console. */

import { connect } from "./guildhall.js";

const WORDS = {
  en: { title: "Word count", text: "Text", count: "Count words", answer: "{words} words, {characters} characters" },
  es: { title: "Contar palabras", text: "Texto", count: "Contar", answer: "{words} palabras, {characters} caracteres" },
  is: { title: "Orðatalning", text: "Texti", count: "Telja orð", answer: "{words} orð, {characters} stafir" },
  nl: { title: "Woorden tellen", text: "Tekst", count: "Tel woorden", answer: "{words} woorden, {characters} tekens" },
};
const at = (id) => document.getElementById(id);
const hall = await connect();
const words = () => WORDS[hall.locale.split("-")[0]] ?? WORDS.en;

function speak() {
  document.title = words().title;
  at("title").textContent = words().title;
  at("label").textContent = words().text;
  at("count").textContent = words().count;
}

addEventListener("guildhall", speak);
speak();
at("count").addEventListener("click", async () => {
  try {
    const counted = await hall.call("POST", "/word-count", { text: at("text").value });
    at("answer").textContent = words().answer.replace(/\{(\w+)\}/g, (_, name) => counted[name]);
  } catch (refused) {
    at("answer").textContent = refused.message;
  }
});
