"use strict";
// A button copies the text that follows it.
for (const button of document.querySelectorAll("button.copy"))
  button.addEventListener("click", async () => {
    const text = button.nextElementSibling;
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(text); // a page from a file may not write the clipboard; it may select
      button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
    }
  });
