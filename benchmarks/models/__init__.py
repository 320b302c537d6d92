"""Work with one model: saving, predicting, explaining, exporting."""
