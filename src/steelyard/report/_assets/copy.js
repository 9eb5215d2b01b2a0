"use strict";
// A button copies the text of the element that it names, and shows it where it cannot.
for (const button of document.querySelectorAll("button.copy"))
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copies);
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch {
      text.closest("details").open = true;
      getSelection().selectAllChildren(text); // a page from a file may not write the clipboard; it may select
      button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
    }
  });
