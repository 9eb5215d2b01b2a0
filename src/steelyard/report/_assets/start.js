"use strict";
// Draws every figure of the page from the data that stands beside it.
document.querySelectorAll(".plot").forEach((place, number) => {
  place.dataset.number = number;
  const figure = JSON.parse(place.nextElementSibling.textContent);
  (figure.layout.in_space ? plotInSpace : plotInPlane)(place, figure);
});
