"""What is done with one model: saving, predicting, explaining, exporting."""
